import { jsonText, plainLine } from '../../plain-text.ts';
import { diffText } from '../../render/diff-text.ts';
import type { CommonOptions } from '../../add-command.ts';
import type { Terminal } from '../../terminal.ts';
import type { FixedFile } from './fix-files.ts';
import type { LintReport } from './lint-report.ts';

/** A form a report can have. */
export type LintFormat = 'github' | 'json' | 'sarif' | 'text';

/** A report, and how it is wanted. */
export interface PrintedReport {
  readonly report: LintReport;
  readonly fixed: readonly FixedFile[];
  readonly flags: CommonOptions & { readonly format?: LintFormat; readonly watch?: boolean };
}

/** Prints a report in the form that was asked for. */
export async function printReport(
  terminal: Terminal,
  { report, fixed, flags }: PrintedReport,
): Promise<void> {
  const indent = flags.watch === true ? undefined : 2;
  const format = flags.json === true ? 'json' : (flags.format ?? 'text');
  switch (format) {
    case 'json': {
      const { jsonFormat } = await import('./json-format.ts');
      return terminal.printExact(`${jsonText(jsonFormat(report, fixed), indent)}\n`);
    }
    case 'sarif': {
      const { sarifFormat } = await import('./sarif-format.ts');
      return terminal.printExact(`${jsonText(sarifFormat(report), indent)}\n`);
    }
    case 'github': {
      const { githubFormat } = await import('./github-format.ts');
      const text = githubFormat(report);
      return terminal.printExact(text === '' ? '' : `${text}\n`);
    }
    case 'text': {
      const { textFormat } = await import('./text-format.ts');
      const changes = fixed.map(
        ({ file, before, after }) =>
          `${terminal.paint('bold', plainLine(file))}\n${diffText(before, after, terminal)}\n\n`,
      );
      return terminal.print(`${changes.join('')}${await textFormat(report, terminal)}\n`);
    }
  }
}
