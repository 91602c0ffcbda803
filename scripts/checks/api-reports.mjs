// Compares the public API of every package entry with its report in the repository (api/<entry>.api.md). With
// `--update`, it rewrites the reports.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { cache, publicPackages, root } from '../support/workspace.mjs';

const update = process.argv.includes('--update');
const base = ExtractorConfig.loadFile(join(root, 'api-extractor.base.json'));
const temporary = join(cache, 'api-reports');

const packages = publicPackages().map(({ folder, manifest }) => {
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [{ name: path === '.' ? 'index' : path.slice(2), file: join(root, folder, types) }],
  );
  return { folder: join(root, folder), entries };
});
const files = packages.flatMap(({ entries }) => entries.map(({ file }) => file));
let compilerState;

for (const { folder, entries } of packages) {
  const offered = new Set(entries.flatMap(({ file }) => namesListedIn(file)));
  for (const entry of entries) report(folder, entry, offered);
}
rmSync(temporary, { recursive: true, force: true });

/** Compares or rewrites the report of one entry. `offered` are the names that any entry of the package exports. */
function report(packageFolder, { name, file: entry }, offered) {
  const reportFileName = `${name}.api.md`;
  const file = relative(root, join(packageFolder, 'api', reportFileName));
  const config = configOf(packageFolder, entry, reportFileName);
  // All entries share one compilation, because it is slow.
  compilerState ??= CompilerState.create(config, { additionalEntryPoints: files });
  const { apiReportChanged, succeeded } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    messageCallback: (message) => {
      message.handled = true;
      if (!counts(message, offered)) message.logLevel = ExtractorLogLevel.None;
      else if (message.logLevel === ExtractorLogLevel.Error)
        console.log(`${file}: ${message.messageId} ${message.text}`);
    },
  });
  if (!succeeded) process.exitCode = 1;
  if (apiReportChanged && !update) {
    console.log(`${file} is out of date. Run \`node scripts/run.mjs api\`, and read what changed in it.`);
  }
}

function configOf(packageFolder, entry, reportFileName) {
  const reportFolder = join(packageFolder, 'api');
  const reportTempFolder = join(temporary, basename(packageFolder));
  for (const needed of [reportFolder, reportTempFolder]) mkdirSync(needed, { recursive: true });
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      ...base,
      projectFolder: packageFolder,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { ...base.compiler.overrideTsconfig, files } },
      apiReport: { enabled: true, reportFileName, reportFolder, reportTempFolder },
    },
  });
}

/**
 * Returns whether a message is a problem. Every exported name needs a doc comment, but members don't, and another entry
 * of the package may export a name that this one lacks.
 */
function counts({ messageId, text, sourceFilePath, sourceFileLine }, offered) {
  if (messageId === 'ae-forgotten-export') return !offered.has(/"(.+?)"/.exec(text)?.[1]);
  if (messageId !== 'ae-undocumented') return true;
  const line = readFileSync(sourceFilePath, 'utf8').split('\n')[sourceFileLine - 1];
  return !/^\s/.test(line);
}

/** Returns the names that a declaration file exports: in lists, by declarations, and from files exported as a whole. */
function namesListedIn(file) {
  const text = readFileSync(file, 'utf8');
  const whole = text.matchAll(/^export \* from '(\.[^']+)\.ts';/gm);
  const lists = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const declared = text.matchAll(/^export (?:declare )?(?:interface|type|const|function|class) (\w+)/gm);
  return [
    ...[...lists].flatMap(([, list]) => list.split(',').map((name) => name.trim())),
    ...[...declared].map(([, name]) => name),
    ...[...whole].flatMap(([, path]) => namesListedIn(join(dirname(file), `${path}.d.ts`))),
  ];
}
