import type { Annotation } from "../../api/schema.ts";
import { formatDateTime } from "../../format/date.ts";
import { boardName, insightName } from "../../format/name.ts";
import { may } from "../../session/rights.ts";
import { IconButton } from "../../ui/button.tsx";
import type { Column } from "../../ui/table.tsx";
import { removeNote } from "../parts/notes/notesApi.ts";
import { isOpen, SCOPE_LABELS } from "../parts/notes/scopes.ts";

/** What the list tells of an annotation. */
export function columnsOf(projectId: number, zone: string, edit: (note: Annotation) => void): Column<Annotation>[] {
  return [
    {
      key: "when",
      label: "When",
      widthPx: 150,
      cell: ({ date_marker: at }) => (at === null ? "No time" : formatDateTime(at, zone)),
      sortBy: ({ date_marker: at }) => at,
    },
    {
      key: "text",
      label: "Text",
      widthPx: 280,
      cell: ({ content }) => (
        <span dir="auto" title={content ?? ""}>
          {content || "Without a text"}
        </span>
      ),
      sortBy: ({ content }) => content,
    },
    { key: "place", label: "Shown on", widthPx: 180, cell: (note) => <Place projectId={projectId} note={note} /> },
    {
      key: "by",
      label: "By",
      cell: ({ created_by: by, creation_type: type }) => (
        <span dir="auto">{type === "GIT" ? "A program" : by?.first_name || by?.email || ""}</span>
      ),
    },
    {
      key: "tools",
      label: "Change",
      isLabelHidden: true,
      cell: (note) =>
        isOpen(note) &&
        may("annotation:write") && (
          <>
            <IconButton label={`Edit: ${note.content ?? ""}`} icon="pencil" onClick={() => edit(note)} />
            <IconButton
              label={`Delete: ${note.content ?? ""}`}
              icon="trash"
              onClick={() => void removeNote(projectId, note)}
            />
          </>
        ),
    },
  ];
}

function Place({ projectId, note }: { projectId: number; note: Annotation }) {
  const { scope, insight_short_id: shortId, dashboard_id: dashboardId } = note;
  if (note.hidden_in_user_interface) return <>No chart: it is hidden</>;
  if (scope === "dashboard_item" && shortId !== null) {
    const name = insightName({ name: note.insight_name, derived_name: note.insight_derived_name });
    return <PlaceLink href={`/project/${projectId}/insights/${shortId}`} name={name} />;
  }
  if (scope === "dashboard" && dashboardId !== null) {
    return <PlaceLink href={`/project/${projectId}/dashboard/${dashboardId}`} name={boardName(note.dashboard_name)} />;
  }
  if (scope === "dashboard_item" || scope === "dashboard") return <>No chart</>;
  return <>{SCOPE_LABELS[scope]}</>;
}

const PlaceLink = ({ href, name }: { href: string; name: string }) => (
  <a href={href} dir="auto" title={name}>
    {name}
  </a>
);
