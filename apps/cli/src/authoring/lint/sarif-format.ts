import { pathToFileURL } from 'node:url';
import { isAbsolute, sep } from 'node:path';
import { findingCodes } from '@workflowlookup/schema';
import type { ArtifactLocation, Fix, Log, ReportingDescriptor, Result } from 'sarif';
import manifest from '../../../package.json' with { type: 'json' };
import type { LintFinding, LintReport } from './lint-report.ts';

const documentation = 'https://github.com/workflowlookup/workflowlookup/blob/main/docs/authoring.md#lint';

/** A report as SARIF 2.1.0. */
export function sarifFormat({ findings }: LintReport): Log {
  const rules = Object.entries(findingCodes).map(([id, text]): ReportingDescriptor => ({
    id,
    shortDescription: { text },
    helpUri: documentation,
  }));
  const ruleIds = rules.map(({ id }) => id);
  const driver = {
    name: manifest.name,
    semanticVersion: manifest.version,
    informationUri: documentation,
    rules,
  };
  const results = findings.map((finding) => resultOf(finding, ruleIds.indexOf(finding.code)));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

function resultOf(finding: LintFinding, ruleIndex: number): Result {
  const { code, severity, message, suggestion, line, column } = finding;
  const artifactLocation = locationOf(finding);
  return {
    ruleId: code,
    ...(ruleIndex >= 0 && { ruleIndex }),
    level: severity,
    message: { text: suggestion === undefined ? message : `${message}\n${suggestion}` },
    locations: [{ physicalLocation: { artifactLocation, region: { startLine: line, startColumn: column } } }],
    ...(finding.edits && { fixes: [fixOf(finding, artifactLocation)] }),
  };
}

function fixOf({ edits = [], suggestion }: LintFinding, artifactLocation: ArtifactLocation): Fix {
  return {
    ...(suggestion !== undefined && { description: { text: suggestion } }),
    artifactChanges: [
      {
        artifactLocation,
        replacements: edits.map(({ offset, length, text }) => ({
          deletedRegion: { charOffset: offset, charLength: length },
          insertedContent: { text },
        })),
      },
    ],
  };
}

/** Relative to the working folder, which is the root of a repository where the file is uploaded; else absolute. */
function locationOf({ file }: LintFinding): ArtifactLocation {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split(sep).map(encodeURIComponent).join('/') };
}
