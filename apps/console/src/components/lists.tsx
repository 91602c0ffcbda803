import { Tabs } from '@base-ui/react/tabs';
import type { ComponentProps, ReactNode } from 'react';
import { Notice } from './notice.tsx';

/**
 * Renders a table that scrolls if it is too wide, also with the keyboard. It has the role `group`, because regions of
 * a page need unique names and a page may show the same table twice.
 */
export function ScrollTable({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label={label}>
      <table className={className === undefined ? 'table' : `table ${className}`}>{children}</table>
    </div>
  );
}

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** Renders a table with a row for each entry. The first column names the row. */
export function DataTable<Row>({
  label,
  className,
  rows,
  columns,
  keyOf,
}: {
  readonly label: string;
  readonly className?: string | undefined;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}): ReactNode {
  const classOf = ({ isNumber }: Column<Row>): string | undefined => (isNumber ? 'number' : undefined);
  return (
    <ScrollTable label={label} className={className}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" className={classOf(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, at) =>
              at === 0 ? (
                <th key={column.name} scope="row">
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.name} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

export function BulletList({
  lines,
  label,
  className = '',
}: {
  readonly lines: readonly string[];
  readonly label?: string;
  readonly className?: string;
}): ReactNode {
  if (lines.length === 0) return null;
  return (
    <ul className={`bullets ${className}`} aria-label={label}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** Renders lines as a notice; without lines, nothing. */
export function ListNotice({
  tone,
  title,
  lines = [],
}: Pick<ComponentProps<typeof Notice>, 'tone' | 'title'> & {
  readonly lines: readonly string[] | undefined;
}): ReactNode {
  if (lines.length === 0) return null;
  return (
    <Notice tone={tone} title={title}>
      <BulletList lines={lines} className="small" />
    </Notice>
  );
}

/** Renders facts by their names. A fact without a value is left out. */
export function FactGrid({
  facts,
  className,
}: {
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly className: string;
}): ReactNode {
  return (
    <dl className={`fact-grid ${className}`}>
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

export interface PageTab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

/** Renders tabs. The caller keeps the chosen one, usually in the URL. */
export function PageTabs({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly tabs: readonly PageTab[];
  /** The first tab is shown if this is not the id of a tab. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}): ReactNode {
  const shown = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  return (
    <Tabs.Root value={shown?.id} onValueChange={(value) => onChoose(String(value))} className="stack">
      <Tabs.List className="tabs" aria-label={label} activateOnFocus={false}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.id} value={tab.id} className="tab focus-inside">
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.id} value={tab.id} className="panel stack">
          {tab.content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
