import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { HogQLMetadataAnswer } from "../../api/schema.ts";
import { useLater } from "../../ui/later.ts";
import { type Checked, checkedOf } from "./notices.ts";
import { type SqlQuestion, sourceOfQuestion } from "./sqlNode.ts";

/** A pause of typing after which the text is checked. */
const PAUSE_MS = 300;

/** What the server says of the text as it stands, in the pauses of typing; null while it has said nothing yet. */
export function useChecked(projectId: number, question: SqlQuestion): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null);
  const late = useLater(question, PAUSE_MS);
  useEffect(() => {
    const { query } = late;
    if (query.trim() === "") {
      setChecked({ text: query, errors: [], warnings: [], notices: [] });
      return;
    }
    const control = new AbortController();
    const { kind: _, ...source } = sourceOfQuestion(late);
    const { filters, variables, values } = source as Record<string, unknown>;
    const node = { kind: "HogQLMetadata", language: "hogQL", query, filters, variables, values };
    const params = { project_id: String(projectId) };
    const { signal } = control;
    call("POST /api/environments/{project_id}/query/", { params, body: { query: node } as never, signal }).then(
      (answer) => setChecked(checkedOf(query, answer as HogQLMetadataAnswer)),
      // What cannot be checked now is told when it is run.
      () => {},
    );
    return () => control.abort();
  }, [projectId, late.query, late.variables, late.rest]);
  return checked;
}
