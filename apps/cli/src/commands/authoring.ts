import type { Host } from '@workflowlookup/host';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ConvertFlags } from '../authoring/convert.ts';
import type { InitFlags } from '../authoring/init/init.ts';
import type { LintFlags } from '../authoring/lint/lint.ts';
import type { MigrateFlags } from '../authoring/migrate.ts';
import type { TestFlags } from '../authoring/test/test.ts';
import type { CommandLine, ExitCode } from '../command-line.ts';
import type { TrustFlags } from '../definitions/trust.ts';
import type { GraphFlags } from '../graph/graph.ts';
import { createOutput } from '../terminal/terminal.ts';
import type { SourceFlags } from './options.ts';
import { addCommand, addDefinitionCommand, readPercent, addStateCommand, addStateFlags } from './options.ts';

export function addAuthoringCommands(program: Command, line: CommandLine): void {
  addInitCommand(program, line);
  addConvertCommand(program, line);
  addMigrateCommand(program, line);
  addLintCommand(program, line, {
    name: 'lint',
    about: 'report problems in definitions and how to fix them; without paths, in all sources',
  });
  addLintCommand(program, line, {
    name: 'validate',
    about: 'like lint, but for CI: a warning fails too',
  });
  addTestCommand(program, line);
}

function addInitCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'init [dir]',
    about:
      'create a new workflow, by default in ./workflows; asks questions at a terminal unless --id is given',
    example: 'init --id tea-time --template loop',
  })
    .addOption(
      new Option('--kind <kind>', 'step (default): one file; activity: a folder').choices([
        'step',
        'activity',
      ]),
    )
    .option(
      '--template <name>',
      'for step: sequence (default), branches, loop; for activity: sequence (default), review',
    )
    .option('--id <id>', 'the id of the workflow')
    .option('--title <title>', 'the title of the workflow; by default made from the id')
    .action(async (dir: string | undefined, flags: InitFlags) => {
      const { init } = await import('../authoring/init/init.ts');
      line.exit(await init(line, dir ?? 'workflows', flags));
    });
}

function addConvertCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'convert <path>',
    about:
      'convert a definition, or the folder of an activity workflow, to another format without losing anything',
    example: 'convert ./workflows/tea-time.yaml --to json --out ./tea-time.json',
  })
    .addOption(
      new Option('--to <notation>', 'json, yaml or toon')
        .choices(['json', 'yaml', 'toon'])
        .makeOptionMandatory(),
    )
    .option('--out <path>', 'a new file or folder; without it, a converted file is printed')
    .option('--drop-comments', 'convert the definition even if its comments get lost')
    .action(async (path: string, flags: ConvertFlags) => {
      const { convert } = await import('../authoring/convert.ts');
      line.exit(await convert(line, path, flags));
    });
}

function addMigrateCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'migrate <files...>',
    about:
      'convert older step workflows to the current format; shows the changes, and what you have to fix yourself',
    example: 'migrate ./workflows/old.json --write',
  })
    .option('--write', 'write the files')
    .action(async (files: readonly string[], flags: MigrateFlags) => {
      const { migrate } = await import('../authoring/migrate.ts');
      line.exit(await migrate(line, files, flags));
    });
}

function addLintCommand(
  program: Command,
  line: CommandLine,
  { name, about }: { readonly name: 'lint' | 'validate'; readonly about: string },
): void {
  const command = addDefinitionCommand(program, {
    usage: `${name} [paths...]`,
    about,
    example: name === 'lint' ? 'lint ./workflows --fix' : 'validate ./workflows --format github',
  }).addOption(
    new Option('--format <format>', 'the output format')
      .choices(['text', 'json', 'sarif', 'github'])
      .default('text'),
  );
  if (name === 'lint') {
    command
      .option('--fix', 'apply the safe fixes and show the changes')
      .option('--watch', 'lint again after every change; stop with Ctrl-C');
  }
  command.action(async (paths: readonly string[], flags: LintFlags) => {
    const { lint } = await import('../authoring/lint/lint.ts');
    line.exit(await lint(line, { paths, flags, isStrict: name === 'validate' }));
  });
}

function addTestCommand(program: Command, line: CommandLine): void {
  addDefinitionCommand(program, {
    usage: 'test [paths...]',
    about:
      'run the tests beside definitions and explore every path through each workflow; without paths, in all sources',
    example: 'test ./workflows --junit report.xml',
  })
    .option('--no-explore', 'only run the tests, without exploring')
    .option(
      '--min-coverage <percent>',
      'fail if the tests of a workflow cover fewer of its steps or branches',
      readPercent,
    )
    .option('--junit <file>', 'also write JUnit XML; - prints it instead of text')
    .action(async (paths: readonly string[], flags: TestFlags) => {
      const { test } = await import('../authoring/test/test.ts');
      line.exit(await test(line, paths, flags));
    });
}

/** Adds the commands that show the workflows a server would serve. */
export function addDefinitionCommands(program: Command, line: CommandLine): void {
  addDefinitionCommand(program, {
    usage: 'list',
    about: 'list the workflows that a server would serve, with their sources',
    example: 'list --workflows ./team-workflows',
  }).action(async (flags: SourceFlags) => {
    const { list } = await import('../definitions/list.ts');
    line.exit(await list(line, flags));
  });
  addDefinitionCommand(program, {
    usage: 'show <id>',
    about: 'show the outline of a workflow: its steps, conditions, loops and checkpoints',
    example: 'show issue-to-merge',
  }).action(async (id: string, flags: SourceFlags) => {
    const [{ show }, { withDefinitions }] = await Promise.all([
      import('../definitions/show.ts'),
      import('../open-host.ts'),
    ]);
    const work = (host: Host): Promise<ExitCode> => show(host, outputOf(line, flags), id);
    line.exit(await withDefinitions(line, flags, work, { shows: id }));
  });
  addDefinitionCommand(program, {
    usage: 'sources',
    about: 'show where definitions come from: each directory, its workflows, overridden files and problems',
    example: 'sources',
  }).action(async (flags: SourceFlags) => {
    const [{ sources }, { withDefinitions }] = await Promise.all([
      import('../definitions/sources.ts'),
      import('../open-host.ts'),
    ]);
    line.exit(await withDefinitions(line, flags, (host) => sources(host, outputOf(line, flags))));
  });
}

function outputOf({ terminal }: CommandLine, { json = false }: SourceFlags): ReturnType<typeof createOutput> {
  return createOutput(terminal, json);
}

export function addGraphCommand(program: Command, line: CommandLine): void {
  const command = addDefinitionCommand(program, {
    usage: 'graph [workflow]',
    about: 'draw a workflow as Mermaid or SVG; with --session, show the progress of a session',
    example: 'graph bug-investigation --format svg --out bug-investigation.svg',
  })
    .addOption(
      new Option(
        '--format <format>',
        'mermaid or svg; by default from the extension of --out, otherwise mermaid',
      ).choices(['mermaid', 'svg']),
    )
    .option('--steps', 'also draw the steps inside activities')
    .option(
      '--session <session>',
      'mark what this session completed or skipped, and what was refused; needs no workflow',
    )
    .option('--out <file>', 'write the drawing to a new file, .svg or .mmd')
    .option('--force', 'with --out: overwrite an existing file');
  addStateFlags(command).action(async (workflow: string | undefined, flags: GraphFlags) => {
    const { graph } = await import('../graph/graph.ts');
    line.exit(await graph(line, workflow, flags));
  });
}

/** Adds the command with which a person trusts the definitions of a project. */
export function addTrustCommand(program: Command, line: CommandLine): void {
  addStateCommand(program, {
    usage: 'trust [path]',
    about:
      "decide which of a project's definitions agents may use: review the new ones, and trust those you agree with",
    example: 'trust workflows/release.yaml',
  })
    .option(
      '--folder',
      'trust everything in a folder, now and after later changes, instead of single versions',
    )
    .option('--list', 'list the definitions that are trusted and those that are not')
    .option('--remove', 'no longer trust the definitions at the path')
    .action(async (path: string | undefined, flags: TrustFlags) => {
      const { trust } = await import('../definitions/trust.ts');
      line.exit(await trust(line, path, flags));
    });
}
