import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import {
  actions,
  addCommand,
  addDefinitionCommand,
  addStateCommand,
  addStateFlags,
  readPercent,
} from './options.ts';

export function addAuthoringCommands(program: Command, line: CommandLine): void {
  const act = actions(line);
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
    .action(act(async () => (await import('../authoring/init/init.ts')).init));
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
    .action(act(async () => (await import('../authoring/convert.ts')).convert));
  addCommand(program, {
    usage: 'migrate <files...>',
    about:
      'convert older step workflows to the current format; shows the changes, and what you have to fix yourself',
    example: 'migrate ./workflows/old.json --write',
  })
    .option('--write', 'write the files')
    .action(act(async () => (await import('../authoring/migrate.ts')).migrate));
  addFormats(
    addDefinitionCommand(program, {
      usage: 'lint [paths...]',
      about: 'report problems in definitions and how to fix them; without paths, in all sources',
      example: 'lint ./workflows --fix',
    }),
  )
    .option('--fix', 'apply the safe fixes and show the changes')
    .option('--watch', 'lint again after every change; stop with Ctrl-C')
    .action(act(async () => (await import('../authoring/lint.ts')).lint));
  addFormats(
    addDefinitionCommand(program, {
      usage: 'validate [paths...]',
      about: 'like lint, but for CI: a warning fails too',
      example: 'validate ./workflows --format github',
    }),
  ).action(act(async () => (await import('../authoring/lint.ts')).validate));
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
    .action(act(async () => (await import('../authoring/test.ts')).test));
}

function addFormats(command: Command): Command {
  return command.addOption(
    new Option('--format <format>', 'the output format')
      .choices(['text', 'json', 'sarif', 'github'])
      .default('text'),
  );
}

/** Adds the commands that show the workflows a server would serve. */
export function addDefinitionCommands(program: Command, line: CommandLine): void {
  const act = actions(line);
  addDefinitionCommand(program, {
    usage: 'list',
    about: 'list the workflows that a server would serve, with their sources',
    example: 'list --workflows ./team-workflows',
  }).action(act(async () => (await import('../definitions/list.ts')).list));
  addDefinitionCommand(program, {
    usage: 'show <id>',
    about: 'show the outline of a workflow: its steps, conditions, loops and checkpoints',
    example: 'show issue-to-merge',
  }).action(act(async () => (await import('../definitions/show.ts')).show));
  addDefinitionCommand(program, {
    usage: 'sources',
    about: 'show where definitions come from: each directory, its workflows, overridden files and problems',
    example: 'sources',
  }).action(act(async () => (await import('../definitions/sources.ts')).sources));
  const graph = addDefinitionCommand(program, {
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
  addStateFlags(graph).action(act(async () => (await import('../authoring/graph/graph.ts')).graph));
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
    .action(actions(line)(async () => (await import('../definitions/trust.ts')).trust));
}
