import type { Command } from 'commander';
import { Option } from 'commander';
import type { ConvertFlags } from '../authoring/convert.ts';
import type { InitFlags } from '../authoring/init/init.ts';
import type { LintFlags } from '../authoring/lint/lint.ts';
import type { MigrateFlags } from '../authoring/migrate.ts';
import type { TestFlags } from '../authoring/test/test.ts';
import type { CommandLine } from '../command-line.ts';
import { addCommand, addDefinitionCommand, readPercent } from './options.ts';

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
    .option('--drop-comments', 'leave out comments, because they can not be converted')
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
