import { plainLine, plainLines, withoutCommands } from '../../plain-text.ts';
import type { LintReport } from './lint-report.ts';

/** A report as annotations of GitHub Actions: a workflow command for each finding. */
export function githubFormat({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, suggestion }) => {
      const place = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
      const said = suggestion === undefined ? message : `${message}\n${suggestion}`;
      return `::${severity} ${place}::${data(said)}`;
    })
    .join('\n');
}

/** As GitHub has the message of a command escaped; control characters are shown, and hold no second command. */
function data(text: string): string {
  return withoutCommands(plainLines(text)).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(plainLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
