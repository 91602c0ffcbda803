// The public API of every package entry against its checked-in report (api/<entry>.api.md); `--update` rewrites the reports.
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { cache, publicPackages, root } from './workspace.mjs';

const update = process.argv.includes('--update');
const base = ExtractorConfig.loadFile(join(root, 'api-extractor.base.json'));
const temporary = join(cache, 'api-reports');

for (const { folder, manifest } of publicPackages()) {
  for (const { types } of Object.values(manifest.exports ?? {})) {
    if (types !== undefined) report(resolve(root, folder), types);
  }
}
rmSync(temporary, { recursive: true, force: true });

/** Compares, or rewrites, the report of one entry; says what is wrong in one line each. */
function report(packageFolder, types) {
  const reportFolder = join(packageFolder, 'api');
  const reportTempFolder = join(temporary, basename(packageFolder));
  for (const needed of [reportFolder, reportTempFolder]) mkdirSync(needed, { recursive: true });
  const entry = join(packageFolder, types);
  const reportFileName = `${basename(types, '.d.ts')}.api.md`;
  const extractorConfig = ExtractorConfig.prepare({
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      ...base,
      projectFolder: packageFolder,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { ...base.compiler.overrideTsconfig, files: [entry] } },
      apiReport: { enabled: true, reportFileName, reportFolder, reportTempFolder },
    },
  });
  const { apiReportChanged, succeeded } = Extractor.invoke(extractorConfig, {
    localBuild: update,
    messageCallback: (message) => say(message, `${basename(packageFolder)}/${reportFileName}`),
  });
  if (!succeeded) process.exitCode = 1;
  if (apiReportChanged && !update) {
    console.log(
      `${join(reportFolder, reportFileName)} differs: run \`node scripts/run.mjs api\` and read the change.`,
    );
  }
}

function say(message, where) {
  message.handled = true;
  if (message.logLevel === 'error' || message.logLevel === 'warning')
    console.log(`${where}: ${message.messageId} ${message.text}`);
}
