import { useState } from "preact/hooks";
import type { QueryNode } from "../../api/node.ts";
import { formatRelative } from "../../format/relative.ts";
import { Button } from "../../ui/button.tsx";
import { derivedName } from "../parts/insight/derivedName.ts";
import { dropDraft, readDraft } from "../parts/insight/draft.ts";
import { writeFragment } from "../parts/insight/fragment.ts";
import { isSameNode } from "./sameNode.ts";

/** Offers the question that was not saved last time. */
export function Continue({ projectId, node }: { projectId: number; node: QueryNode }) {
  // As it was when the page came: what is changed now is a draft, too.
  const [draft, setDraft] = useState(() => readDraft(projectId));
  if (draft === null || isSameNode(draft.node, node)) return null;
  const place = draft.shortId === null ? "new" : `${draft.shortId}/edit`;
  return (
    <div class="insight-continue">
      <p>
        Unsaved draft, {formatRelative(draft.atMs)}:{" "}
        <a href={`/project/${projectId}/insights/${place}${writeFragment(draft.node)}`} onClick={() => setDraft(null)}>
          {draft.labels.name || derivedName(draft.node)}
        </a>
      </p>
      <Button
        look="quiet"
        onClick={() => {
          dropDraft(projectId);
          setDraft(null);
        }}
      >
        Discard
      </Button>
    </div>
  );
}
