import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useData } from "../../api/cache.ts";
import type { QueryNode } from "../../api/node.ts";
import type { Drill, Kind } from "../../kinds/kind.ts";
import { useAnswer } from "../../kinds/view/useAnswer.ts";
import { later } from "../../ui/later.tsx";
import { frequentEvent } from "../parts/insight/insightApi.ts";
import { carryOver } from "./carryOver.ts";
import { Changed } from "./changed.tsx";
import { Continue } from "./continue.tsx";
import { Details } from "./details.tsx";
import { formsOf } from "./forms.ts";
import { Head } from "./head.tsx";
import { KindChoice } from "./kindChoice.tsx";
import { Result } from "./result.tsx";
import { type EditorProps, useEditor } from "./useEditor.ts";

const PeopleDialog = later(() => import("../../kinds/people/peopleDialog.tsx").then((file) => file.PeopleDialog));

/** The form of a question, its chart, and all that can be done with it. */
export function Editor(props: EditorProps) {
  const { projectId, isEditing, onOpen } = props;
  const { route } = useLocation();
  const editor = useEditor(props);
  const asking = useAnswer(projectId, editor.node);
  const [drill, setDrill] = useState<Drill | null>(null);
  const { source, insight } = editor;
  const setEditing = (next: boolean) => insight && onOpen(insight, next, false);
  const setKind = useKinds(projectId, source, editor.change);
  const forms = formsOf(source);
  const form = isEditing ? forms : undefined;
  return (
    <main class="page insight-page">
      <Head
        projectId={projectId}
        editor={editor}
        isEditing={isEditing}
        canEdit={forms !== undefined}
        onEdit={setEditing}
        onOpen={onOpen}
        onDeleted={() => route(`/project/${projectId}/insights`)}
      />
      <Details editor={editor} />
      {insight === null && <Continue projectId={projectId} node={editor.node} />}
      <Changed editor={editor} />
      {form !== undefined && <KindChoice value={source.kind} onChange={setKind} />}
      <div class={form !== undefined ? "insight-body editing" : "insight-body"}>
        {form !== undefined && (
          <section class="insight-form" aria-label="Question">
            <form.Form projectId={projectId} node={source} onChange={editor.change} />
          </section>
        )}
        <Result projectId={projectId} editor={editor} asking={asking} onDrill={setDrill} />
      </div>
      {drill !== null && <PeopleDialog projectId={projectId} drill={drill} onClose={() => setDrill(null)} />}
    </main>
  );
}

/** Changes the kind: what was asked of a kind before comes back with it. */
function useKinds(projectId: number, source: QueryNode, change: (source: QueryNode) => void) {
  const [kept, setKept] = useState<Readonly<Record<string, QueryNode>>>({});
  const { data: event = null } = useData(`frequentEvent/${projectId}`, () => frequentEvent(projectId));
  return (kind: Kind) => {
    if (kind.name === source.kind) return;
    setKept({ ...kept, [source.kind]: source });
    change(carryOver(source, kept[kind.name] ?? kind.blank({ event })));
  };
}
