import type { Command } from 'commander';
import { Option } from 'commander';
import { addCommand } from '../add-command.ts';
import type { CommandLine } from '../command-line.ts';
import { addDefinitionCommand } from '../definitions/add-definition-command.ts';
import type { ConvertFlags } from './convert/convert.ts';
import type { InitFlags } from './init/init-plan.ts';
import type { LintFlags } from './lint/lint.ts';
import type { MigrateFlags } from './migrate/migrate.ts';
import { readPercent } from '../read-option.ts';
import type { TestFlags } from './test/test.ts';

/** The commands of those who write workflows. */
export function authoringCommands(program: Command, line: CommandLine): void {
  addInitCommand(program, line);
  addConvertCommand(program, line);
  addMigrateCommand(program, line);
  addLintCommand(program, line, {
    name: 'lint',
    about: 'say what is wrong with definitions, where, and what would do; without paths: the sources',
  });
  addLintCommand(program, line, {
    name: 'validate',
    about: 'lint for CI: a warning fails too',
  });
  addTestCommand(program, line);
}

function addInitCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'init [dir]',
    about: 'make a new workflow, by default in ./workflows; asks at a terminal unless --id names it',
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
      'of step: sequence (default), branches, loop; of activity: sequence (default), review',
    )
    .option('--id <id>', 'what agents call it by')
    .option('--title <title>', 'what people call it by; by default from the id')
    .action(async (dir: string | undefined, flags: InitFlags) => {
      const { init } = await import('./init/init.ts');
      line.exit(await init(line, dir ?? 'workflows', flags));
    });
}

function addConvertCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'convert <path>',
    about:
      'write a definition, or the folder of an activity workflow, in another notation; what would be lost is refused',
    example: 'convert ./workflows/tea-time.yaml --to json --out ./tea-time.json',
  })
    .addOption(
      new Option('--to <notation>', 'json, yaml or toon')
        .choices(['json', 'yaml', 'toon'])
        .makeOptionMandatory(),
    )
    .option('--out <path>', 'a new file or folder; by default a file is printed')
    .option('--drop-comments', 'leave comments out, which JSON has none of and which are not carried over')
    .action(async (path: string, flags: ConvertFlags) => {
      const { convert } = await import('./convert/convert.ts');
      line.exit(await convert(line, path, flags));
    });
}

function addMigrateCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'migrate <files...>',
    about: 'bring older step workflows to the current form; shows what would change, and what is left to you',
    example: 'migrate ./workflows/old.json --write',
  })
    .option('--write', 'write the files')
    .action(async (files: readonly string[], flags: MigrateFlags) => {
      const { migrate } = await import('./migrate/migrate.ts');
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
    new Option('--format <format>', 'how to print it')
      .choices(['text', 'json', 'sarif', 'github'])
      .default('text'),
  );
  if (name === 'lint') {
    command
      .option('--fix', 'put right what can be without doubt, and show what was changed')
      .option('--watch', 'look again after every change; Ctrl-C ends it');
  }
  command.action(async (paths: readonly string[], flags: LintFlags) => {
    const { lint } = await import('./lint/lint.ts');
    line.exit(await lint(line, { paths, flags, isStrict: name === 'validate' }));
  });
}

function addTestCommand(program: Command, line: CommandLine): void {
  addDefinitionCommand(program, {
    usage: 'test [paths...]',
    about: 'run the tests beside definitions and go every way through them; without paths: the sources',
    example: 'test ./workflows --junit report.xml',
  })
    .option('--no-explore', 'only run the tests')
    .option(
      '--min-coverage <percent>',
      'of steps and branches that the tests of each go through',
      readPercent,
    )
    .option('--junit <file>', 'also write JUnit XML; - prints it in place of text')
    .action(async (paths: readonly string[], flags: TestFlags) => {
      const { test } = await import('./test/test.ts');
      line.exit(await test(line, paths, flags));
    });
}
