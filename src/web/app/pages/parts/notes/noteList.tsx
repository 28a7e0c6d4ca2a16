import { useEffect, useRef } from "preact/hooks";
import { formatDateTime } from "../../../format/date.ts";
import { may } from "../../../session/rights.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { removeNote } from "./notesApi.ts";
import { isOpen } from "./scopes.ts";
import type { Note, Scope } from "./types.ts";

interface NoteListProps {
  notes: readonly Note[];
  zone: string;
  /** Null on shared pages. */
  projectId: number | null;
  labels: Readonly<Record<Scope, string>>;
  onClose(): void;
  onEdit(note: Note): void;
  onAdd?(): void;
}

/** What the mark of a chart stands for. */
export function NoteList({ notes, zone, projectId, labels, onClose, onEdit, onAdd }: NoteListProps) {
  const list = useRef<HTMLUListElement>(null);
  // From here the keys reach what is in it, and Escape closes it.
  useEffect(() => list.current?.focus(), []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too */}
      <ul ref={list} class="note-list" tabIndex={0} aria-label="Annotations">
        {notes.map((note) => {
          const { id, text, atMs, own } = note;
          const by = own?.created_by;
          const about = [
            formatDateTime(new Date(atMs), zone),
            own === null ? "" : labels[own.scope],
            by?.first_name || by?.email || "",
          ];
          return (
            <li key={id}>
              <p class="note-text" dir="auto">
                {text || "Without a text"}
              </p>
              <div class="note-about">
                <span dir="auto">{about.filter((part) => part !== "").join(" · ")}</span>
                {own !== null && projectId !== null && isOpen(own) && may("annotation:write") && (
                  <span class="note-tools">
                    <IconButton label="Edit the annotation" icon="pencil" onClick={() => onEdit(note)} />
                    <IconButton
                      label="Delete the annotation"
                      icon="trash"
                      onClick={() => {
                        onClose();
                        void removeNote(projectId, own);
                      }}
                    />
                  </span>
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {projectId !== null && (
        <div class="note-foot">
          {onAdd !== undefined && (
            <Button look="quiet" icon="plus" onClick={onAdd}>
              Add another
            </Button>
          )}
          <a class="button quiet" href={`/project/${projectId}/data-management/annotations`}>
            All annotations
          </a>
        </div>
      )}
    </>
  );
}
