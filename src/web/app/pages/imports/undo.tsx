import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { QueryNode } from "../../api/node.ts";
import { runQuery } from "../../api/query.ts";
import { formatCount } from "../../format/number.ts";
import { may } from "../../session/rights.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { messageOf } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Import, runs } from "./figures.ts";
import { reloadImports } from "./useImports.ts";

const EVENTS = "select count() from events where properties.$import_id = {id}";
const PERSONS = `select count() from persons where id in (
  select person_id from events group by person_id having countIf(properties.$import_id = {id}) = count())`;

/** Deletes the events of an import, once it is said what that is. */
export function Undo({ projectId, of: one, onClose }: { projectId: number; of: Import; onClose(): void }) {
  const mayAsk = may("query:read");
  const lost = useData(mayAsk ? `undo/${projectId}/${one.id}` : null, async () => {
    const [events, persons] = await Promise.all([EVENTS, PERSONS].map((text) => count(projectId, text, one.id)));
    return { events: events!, persons: persons! };
  });
  const undo = async () => {
    const params = { project_id: String(projectId), id: one.id };
    try {
      await call("POST /api/environments/{project_id}/imports/{id}/undo/", { params });
      toast("The import is undone");
    } finally {
      reloadImports(projectId);
    }
  };
  return (
    <Confirm title="Undo this import?" action="Delete its events" isDangerous onConfirm={undo} onClose={onClose}>
      <div class="stack">
        {runs(one) && <p>It still runs: its importer is refused from now on.</p>}
        {mayAsk && lost.data === undefined && lost.error === undefined && (
          <Spinner label="Counting what it has brought" />
        )}
        {lost.error !== undefined && <p>What it has brought could not be counted: {messageOf(lost.error)}</p>}
        {lost.data !== undefined && (
          <p>
            {formatCount(lost.data.events, "event")} will be deleted for good, for everyone.{" "}
            {formatCount(lost.data.persons, "person has", "persons have")} no other events; they stay, without events.
          </p>
        )}
        {!mayAsk && <p>All events of this import will be deleted for good, for everyone.</p>}
        <p>
          Persons, groups, their properties and connected ids stay, and so do insights, dashboards and the like. The
          same history can be imported again.
        </p>
      </div>
    </Confirm>
  );
}

async function count(projectId: number, query: string, id: string): Promise<number> {
  const node = { kind: "HogQLQuery", query, values: { id } } as unknown as QueryNode;
  const answer = await runQuery(projectId, node, { signal: new AbortController().signal, isForced: true });
  const [[first] = []] = answer.results as unknown[][];
  return Number(first);
}
