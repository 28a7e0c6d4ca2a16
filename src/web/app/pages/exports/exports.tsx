import type { BatchExport } from "../../api/schema.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { CommandKey } from "../parts/form/commandKey.tsx";
import { Section } from "../parts/form/section.tsx";
import { SettingsTabs } from "../parts/form/settingsTabs.tsx";
import { Code } from "../parts/start/code.tsx";
import { destinationOf, whereOf } from "./destinations.ts";
import { NewExport } from "./newExport.tsx";
import { OneExport } from "./one.tsx";
import { RunState } from "./state.tsx";
import { reloadExports, useExports } from "./useExports.ts";
import { modelLabel, rhythmOf } from "./words.ts";

/** The batch exports of a project; a new one, or the one that the address names. */
export function ExportsPage({ project = "", id }: { project?: string; id?: string }) {
  const projectId = Number(project);
  if (id === undefined) return <List projectId={projectId} />;
  return id === "new" ? <NewExport projectId={projectId} /> : <OneExport key={id} projectId={projectId} id={id} />;
}

function List({ projectId }: { projectId: number }) {
  const { data, error } = useExports(projectId);
  useTitle("Exports");
  return (
    <main class="page">
      <div class="page-head">
        <h1>Exports</h1>
        {may("batch_export:write") && (
          <a class="button primary" href={hrefOf(projectId, "exports/new")}>
            New export
          </a>
        )}
        <SettingsTabs projectId={projectId} />
      </div>
      {error !== undefined && <Problem error={error} onRetry={() => reloadExports(projectId)} />}
      {(data !== undefined || error === undefined) && (
        <Table
          label="Exports"
          columns={columnsFor(projectId)}
          rows={data?.results}
          keyOf={({ id }) => id}
          nothing="Nothing is exported by a schedule"
        />
      )}
      {may("batch_export:write") && (
        <Section
          title="Take everything with you"
          about="Once, as a folder of Parquet and JSON: events, persons, groups, insights, dashboards and settings. Another Weir takes it in."
        >
          <Takeout projectId={projectId} />
        </Section>
      )}
    </main>
  );
}

function columnsFor(projectId: number): readonly Column<BatchExport>[] {
  return [
    {
      key: "name",
      label: "Name",
      cell: ({ id, name }) => (
        <a class="cell-cut" dir="auto" href={hrefOf(projectId, `exports/${id}`)} title={name}>
          {name}
        </a>
      ),
      sortBy: ({ name }) => name,
    },
    { key: "model", label: "What", cell: ({ model }) => modelLabel(model) },
    {
      key: "where",
      label: "Where",
      cell: (one) => (
        <span class="cell-cut" dir="auto" title={whereOf(one)}>
          {destinationOf(one.destination.type)?.label ?? one.destination.type} <span class="quiet">{whereOf(one)}</span>
        </span>
      ),
    },
    { key: "rhythm", label: "When", cell: (one) => (one.paused ? "Paused" : rhythmOf(one).split(",")[0]) },
    {
      key: "last",
      label: "Last run",
      cell: ({ latest_runs: [run] }) => (run === undefined ? "none yet" : <RunState run={run} />),
    },
    {
      key: "at",
      label: "Begun",
      cell: ({ latest_runs: [run] }) => run !== undefined && <Ago at={run.created_at} />,
      sortBy: ({ latest_runs: [run] }) => run?.created_at ?? null,
    },
  ];
}

const TAKEOUT_SCOPES = [
  ...["batch_export:write", "project:read", "group:read", "person:read", "insight:read", "dashboard:read"],
  ...["cohort:read", "action:read", "event_definition:read", "property_definition:read"],
];

function Takeout({ projectId }: { projectId: number }) {
  const command = `export WEIR_API_KEY=…\nweir export FOLDER \\\n  --project ${projectId} --url ${window.location.origin}`;
  return (
    <div class="stack">
      <Code text={command} />
      <p class="quiet">
        On any machine that has Weir's folder, <code>weir</code> is <code>scripts/weir</code>. On the machine of Weir
        itself it needs no key. The same command goes on where it was stopped.
      </p>
      <CommandKey projectId={projectId} command="weir export" scopes={TAKEOUT_SCOPES} />
    </div>
  );
}
