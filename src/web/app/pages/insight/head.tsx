import { useEffect, useState } from "preact/hooks";
import { kindOf } from "../../kinds/mod.ts";
import { may, mayManage, mayShare } from "../../session/rights.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { LazyAccess } from "../parts/access/lazyAccess.tsx";
import { derivedName } from "../parts/insight/derivedName.ts";
import type { Insight } from "../parts/insight/insightApi.ts";
import { removeInsight } from "../parts/insight/removing.ts";
import { LazySharing } from "../parts/sharing/lazySharing.tsx";
import { Alerts, Subscriptions } from "../parts/watch/lazy.tsx";
import { DashboardsDialog } from "./dashboardsDialog.tsx";
import type { EditorState } from "./useEditor.ts";

interface HeadProps {
  projectId: number;
  editor: EditorState;
  isEditing: boolean;
  canEdit: boolean;
  onEdit(isEditing: boolean): void;
  onOpen(insight: Insight, isEditing: boolean, isReplaced: boolean): void;
  onDeleted(): void;
}

/** The name of an insight, and what can be done with it as a whole. */
export function Head(props: HeadProps) {
  const { projectId, editor, isEditing, canEdit, onEdit } = props;
  const { insight, labels } = editor;
  const [open, setOpen] = useState<"dashboards" | "share" | "access" | "alerts" | "send" | null>(null);
  // What is not saved yet is saved first.
  const openSaved = async (dialog: "dashboards" | "share") => {
    if (insight === null && (editor.isSaving || (await editor.save()) === null)) return;
    setOpen(dialog);
  };
  const items = insight === null ? [] : itemsOf(props, insight, setOpen);
  return (
    <div class="page-head insight-head">
      <IconButton
        label="Favourite"
        icon="star"
        class={labels.favorited ? "favourite on" : "favourite"}
        aria-pressed={labels.favorited}
        disabled={!editor.mayEdit}
        onClick={() => editor.setLabels({ favorited: !labels.favorited })}
      />
      <NameField
        value={labels.name}
        fallback={derivedName(editor.node)}
        isFixed={!editor.mayEdit}
        onChange={(name) => editor.setLabels({ name })}
      />
      <div class="insight-actions">
        {insight !== null && canEdit && (
          <Button icon={isEditing ? "check" : "pencil"} onClick={() => onEdit(!isEditing)}>
            {isEditing ? "Done" : "Edit"}
          </Button>
        )}
        {editor.mayEdit && (
          <Button icon="dashboard" onClick={() => void openSaved("dashboards")}>
            Add to dashboard
          </Button>
        )}
        {insight !== null && editor.mayEdit && mayShare() && (
          <Button icon="share" onClick={() => void openSaved("share")}>
            Share
          </Button>
        )}
        {insight === null && editor.mayMake && (
          <Button look="primary" onClick={() => void editor.save()} isBusy={editor.isSaving}>
            Save
          </Button>
        )}
        {items.length > 0 && <Menu icon="more" label="More" items={items} />}
      </div>
      {open === "dashboards" && insight !== null && (
        <DashboardsDialog
          projectId={projectId}
          insight={insight}
          onChange={editor.adopt}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "access" && insight !== null && (
        <LazyAccess what="insight" projectId={projectId} id={insight.id} onClose={() => setOpen(null)} />
      )}
      {open === "alerts" && insight !== null && (
        <Alerts
          projectId={projectId}
          insightId={insight.id}
          series={seriesOf(editor)}
          mayEdit={editor.mayEdit}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "send" && insight !== null && (
        <Subscriptions
          projectId={projectId}
          subject={{ what: "insight", id: insight.id, name: labels.name || derivedName(editor.node) }}
          mayEdit={editor.mayEdit}
          onClose={() => setOpen(null)}
        />
      )}
      {open === "share" && insight !== null && (
        <LazySharing
          what="insight"
          projectId={projectId}
          id={insight.id}
          name={insight.name ?? ""}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

function itemsOf(
  { projectId, editor, onDeleted }: HeadProps,
  insight: Insight,
  onOpen: (dialog: "access" | "alerts" | "send") => void,
): readonly MenuItem[] {
  return [
    ...(editor.mayMake ? [{ label: "Duplicate", icon: "copy", onSelect: () => void editor.saveAsNew() } as const] : []),
    ...(editor.source.kind === "TrendsQuery" && may("alert:read")
      ? [{ label: "Alerts", icon: "bolt", onSelect: () => onOpen("alerts") } as const]
      : []),
    ...(may("subscription:read")
      ? [{ label: "Subscriptions", icon: "calendar", onSelect: () => onOpen("send") } as const]
      : []),
    ...(mayManage(insight)
      ? [{ label: "Who may see or edit", icon: "people", onSelect: () => onOpen("access") } as const]
      : []),
    ...(editor.mayEdit
      ? [
          {
            label: "Delete",
            icon: "trash",
            isDangerous: true,
            onSelect: () =>
              void removeInsight(projectId, insight).then((isDone) => {
                if (isDone) onDeleted();
              }),
          } as const,
        ]
      : []),
  ];
}

/** What the series are called, in their order. */
function seriesOf({ source }: EditorState): string[] {
  const series = kindOf(source) === undefined ? [] : (source.series as Record<string, unknown>[]);
  return series.map(({ custom_name, name, event }, at) => String(custom_name || name || event || `Series ${at + 1}`));
}

interface NameFieldProps {
  value: string;
  /** What it is called without a name. */
  fallback: string;
  /** It can only be read. */
  isFixed: boolean;
  onChange(name: string): void;
}

const NAME_MAX = 400;

/** The name as a heading that can be written in. Enter and leaving it keep it, Escape takes it back. */
function NameField({ value, fallback, isFixed, onChange }: NameFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const keep = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <h1 class="insight-name">
      <input
        aria-label="Name"
        dir="auto"
        maxLength={NAME_MAX}
        readOnly={isFixed}
        placeholder={fallback}
        title={text || fallback}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") setText(value);
        }}
      />
    </h1>
  );
}
