import { useState } from "preact/hooks";
import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { Annotation } from "../../api/schema.ts";
import { useZone } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/button.tsx";
import { useLater } from "../../ui/later.ts";
import { Empty, Problem } from "../../ui/notice.tsx";
import { Table } from "../../ui/table.tsx";
import { NoteDialog } from "../parts/notes/noteDialog.tsx";
import { notesKey } from "../parts/notes/notesApi.ts";
import { SearchBar } from "../parts/records/searchBar.tsx";
import { columnsOf } from "./annotationColumns.tsx";
import { DataLists } from "./lists.tsx";

const PAUSE_MS = 150;
const LIMIT = 500;
const SCOPES = ["project", "organization"] as const;

/** All annotations of a project, the newest first. */
export function AnnotationsPage({ project = "" }: { project?: string }) {
  const projectId = Number(project);
  useTitle("Annotations");
  const [text, setText] = useState("");
  const search = useLater(text.trim(), PAUSE_MS);
  /** One that is changed, or the time of a new one. */
  const [written, write] = useState<Annotation | number | null>(null);
  const zone = useZone(projectId);
  const { data, error } = useData(`${notesKey(projectId)}list/${search}`, () =>
    call("GET /api/environments/{project_id}/annotations/", {
      params: { project_id: project },
      query: { limit: LIMIT, search: search || undefined },
    }),
  );
  const isEmpty = data !== undefined && data.count === 0 && search === "";
  return (
    <main class="page">
      <div class="page-head">
        <h1>Annotations</h1>
        {may("annotation:write") && (
          <Button look="primary" icon="plus" onClick={() => write(Date.now())}>
            New annotation
          </Button>
        )}
      </div>
      <DataLists projectId={projectId} current="annotations" />
      <SearchBar label="Search annotations" placeholder="Text" value={text} onInput={setText} />
      {error !== undefined && <Problem error={error} onRetry={() => invalidate(notesKey(projectId))} />}
      {isEmpty ? (
        <Empty title="No annotations yet">
          <p>
            A release, a campaign, an outage: what charts should tell of a day. Point at the days below a chart to add
            one there.
          </p>
        </Empty>
      ) : (
        (data !== undefined || error === undefined) && (
          <Table
            label="Annotations"
            columns={columnsOf(projectId, zone, write)}
            rows={data?.results}
            keyOf={({ id }) => id}
            nothing="No annotation has this text"
          />
        )
      )}
      {data !== undefined && data.count > LIMIT && (
        <p class="tile-note">The newest {LIMIT} are shown. Search for others.</p>
      )}
      {written !== null && (
        <NoteDialog
          projectId={projectId}
          zone={zone}
          {...(typeof written === "number" ? { atMs: written, scopes: SCOPES } : { note: written })}
          onClose={() => write(null)}
        />
      )}
    </main>
  );
}
