// Compiles our JSON Schemas to validators that need no ajv at run time: standalone code with its helpers bundled in.
// It runs before tests, type checks and builds. It writes only changed files and prints only errors.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The modules to generate. If `from` is one JSON Schema file, the module exports a validator called `name`. If it is
 * several files by key, the module exports a record of validators. With `take`, `from` is a TypeScript module, and
 * `take` is the name of its export with a record of schemas, or a function that returns one. `refers` lists schemas
 * that these refer to.
 */
const jobs = [
  {
    from: 'packages/schema/schemas/step-workflow.schema.json',
    name: 'validateStepWorkflow',
    to: 'packages/schema/src/generated/validate-step-workflow.js',
  },
  {
    from: {
      activity: 'packages/schema/schemas/activity.schema.json',
      activityWorkflow: 'packages/schema/schemas/activity-workflow.schema.json',
      resource: 'packages/schema/schemas/resource.schema.json',
      skill: 'packages/schema/schemas/skill.schema.json',
    },
    name: 'activityValidators',
    refers: ['packages/schema/schemas/step-workflow.schema.json'],
    to: 'packages/schema/src/generated/validate-activity-workflow.js',
  },
  {
    from: 'packages/schema/schemas/workflow-test.schema.json',
    name: 'validateWorkflowTest',
    to: 'packages/schema/src/generated/validate-workflow-test.js',
  },
  {
    from: 'packages/schema/schemas/checks.schema.json',
    name: 'validateChecks',
    to: 'packages/schema/src/generated/validate-checks.js',
  },
  {
    from: 'packages/evidence/src/sarif.schema.json',
    name: 'validateSarif',
    to: 'packages/evidence/src/generated/validate-sarif.js',
  },
  {
    from: 'packages/mcp/src/tools/table.ts',
    take: ({ tools }) => Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    name: 'validators',
    to: 'packages/mcp/src/generated/validate-arguments.js',
  },
];

/** Returns the schemas of a job, by the names of their validators. */
async function schemasOf({ from, take, name }) {
  if (take === undefined) {
    const files = typeof from === 'string' ? { [name]: from } : from;
    const read = async (file) => JSON.parse(await readFile(join(root, file), 'utf8'));
    return Object.fromEntries(
      await Promise.all(Object.entries(files).map(async ([key, file]) => [key, await read(file)])),
    );
  }
  const { outputFiles } = await build({
    entryPoints: [join(root, from)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@workflowlookup/source'],
  });
  const module = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return typeof take === 'function' ? take(module) : module[take];
}

/** Returns whether a job writes a single validator, and not a record of them. */
function isSingle({ from, take }) {
  return take === undefined && typeof from === 'string';
}

/** Returns standalone code that exports a validator for each schema. `others` are schemas that these refer to. */
function standaloneCode(schemas, others) {
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    verbose: true,
    strict: true,
    // Our schemas for conditions list properties without `type: object`. In `if` and `oneOf`, they require keys that are
    // defined in another part of the schema.
    strictTypes: false,
    strictRequired: false,
    code: { source: true, esm: true },
  });
  const names = Object.keys(schemas);
  for (const other of others) ajv.addSchema(withoutProse(other));
  for (const name of names) ajv.addSchema(withoutProse(schemas[name]), name);
  return withoutCopying(standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name]))));
}

/** Removes descriptions and examples from a schema, because validators contain their schema. */
function withoutProse(schema) {
  const prose = (key, value) =>
    (key === 'description' && typeof value === 'string') || (key === 'examples' && Array.isArray(value));
  return JSON.parse(JSON.stringify(schema, (key, value) => (prose(key, value) ? undefined : value)));
}

/**
 * Lets a validator append to its list of errors. Ajv copies the list at every `$ref`, so a malicious document with many
 * errors would take quadratic time.
 */
function withoutCopying(code) {
  const copy = /(\w+) === null \? ([\w.]+)\.errors : \1\.concat\(\2\.errors\)/g;
  const appending = code.replace(copy, 'appendErrors($1, $2.errors)');
  if (appending.includes('.concat('))
    throw new Error('The generated code copies errors in a form that scripts/generate.mjs does not replace.');
  return `function appendErrors(all, more) {
  if (all === null) return more;
  for (const error of more) all.push(error);
  return all;
}
${appending}`;
}

/** Returns the code of a job's module: an ES module without imports. */
async function moduleOf({ from, name, take, refers = [] }, schemas) {
  const others = await Promise.all(
    refers.map(async (path) => JSON.parse(await readFile(join(root, path), 'utf8'))),
  );
  const names = Object.keys(schemas).join(', ');
  const record = `import { ${names} } from 'validators';\nexport const ${name} = { ${names} };`;
  const exported = isSingle({ from, take }) ? `export { ${name} } from 'validators';` : record;
  const validators = {
    name: 'validators',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^validators$/ }, () => ({ path: 'validators', namespace: 'validators' }));
      onLoad({ filter: /.*/, namespace: 'validators' }, () => ({
        contents: standaloneCode(schemas, others),
        resolveDir: root,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: exported, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20',
    minify: true,
    plugins: [validators],
  });
  return outputFiles[0].text;
}

/** Returns the type declarations of a job's module. */
function declarationsOf({ from, name, take }, schemas) {
  const fields = Object.keys(schemas).map((key) => `readonly ${key}: Validator`);
  const type = isSingle({ from, take }) ? 'Validator' : `{ ${fields.join('; ')} }`;
  return `/** An error in a value, at one position. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer to the position in the value. */
  readonly instancePath: string;
  /** Path of the keyword in the schema. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that contains the keyword. */
  readonly parentSchema: Readonly<Record<string, unknown>>;
  /** The value at \`instancePath\`. */
  readonly data: unknown;
}

/** Returns whether a value matches the schema. The property \`errors\` has the errors of the last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

export declare const ${name}: ${type};
`;
}

async function writeIfChanged(path, text) {
  if (existsSync(path) && (await readFile(path, 'utf8')) === text) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function generate(job) {
  const schemas = await schemasOf(job);
  const to = join(root, job.to);
  await writeIfChanged(to, await moduleOf(job, schemas));
  await writeIfChanged(to.replace(/\.js$/, '.d.ts'), declarationsOf(job, schemas));
}

// The order matters, because modules of later jobs import the output of earlier ones.
for (const job of jobs) await generate(job);
