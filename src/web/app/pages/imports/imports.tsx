import { formatCount, formatNumber } from "../../format/number.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Section } from "../parts/form/section.tsx";
import { SettingsTabs } from "../parts/form/settingsTabs.tsx";
import { sourceName } from "./commands.ts";
import { figuresOf, type Import } from "./figures.ts";
import { NewImport } from "./newImport.tsx";
import { OneImport } from "./one.tsx";
import { State } from "./state.tsx";
import { reloadImports, useImports } from "./useImports.ts";

/** The imports of a project, or the one that the address names. */
export function ImportsPage({ project = "", id }: { project?: string; id?: string }) {
  const projectId = Number(project);
  return id === undefined ? <List projectId={projectId} /> : <OneImport key={id} projectId={projectId} id={id} />;
}

function List({ projectId }: { projectId: number }) {
  const { data, error } = useImports(projectId);
  useTitle("Imports");
  return (
    <main class="page">
      <div class="page-head">
        <h1>Imports</h1>
        <SettingsTabs projectId={projectId} />
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => reloadImports(projectId)} />}
      {(data !== undefined || error === undefined) && (
        <Table
          label="Imports"
          columns={columnsFor(projectId)}
          rows={data?.results}
          keyOf={({ id }) => id}
          nothing="Nothing was imported yet"
        />
      )}
      {data !== undefined && data.count > data.results.length && (
        <p class="quiet">These are the newest of {formatCount(data.count, "import")}.</p>
      )}
      <Section
        title="Start an import"
        about="The command reads files of its own machine, a bucket, or the other product's API, and sends the events to Weir. It may be stopped and repeated: each event is stored once."
      >
        <NewImport projectId={projectId} />
      </Section>
    </main>
  );
}

function columnsFor(projectId: number): readonly Column<Import>[] {
  const numbers = [
    ["rows", "Rows read"],
    ["stored", "Added"],
    ["duplicates", "Already there"],
    ["rejected", "Rejected"],
  ] as const;
  return [
    {
      key: "origin",
      label: "History",
      cell: ({ id, source, origin }) => (
        <a
          class="cell-cut"
          dir="auto"
          href={hrefOf(projectId, `imports/${id}`)}
          title={`${sourceName(source)} ${origin}`}
        >
          {sourceName(source)} <span class="quiet">{origin}</span>
        </a>
      ),
    },
    { key: "state", label: "State", cell: (one) => <State of={one} /> },
    ...numbers.map(([key, label]): Column<Import> => {
      return { key, label, isNumber: true, cell: (one) => formatNumber(figuresOf(one)[key]) };
    }),
    {
      key: "begun",
      label: "Begun",
      cell: ({ created_at }) => <Ago at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
}
