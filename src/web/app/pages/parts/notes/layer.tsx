import { useEffect, useRef, useState } from "preact/hooks";
import type { CoverProps, PlotFrame } from "../../../charts/parts/cover.ts";
import { Tip } from "../../../charts/parts/tip.tsx";
import { formatDateTime } from "../../../format/date.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { Popover } from "../../../ui/popover.tsx";
import { NoteDialog } from "./noteDialog.tsx";
import { NoteList } from "./noteList.tsx";
import { grouped, instantOf, placeOf } from "./places.ts";
import { SCOPE_LABELS, scopesAt } from "./scopes.ts";
import type { Note, NotePlace } from "./types.ts";

interface NoteLayerProps extends CoverProps {
  place: NotePlace;
  notes: readonly Note[];
  mayAdd: boolean;
  /** Why they are not there. */
  problem: unknown;
  onRetry(): void;
}

/** The width of a mark, and a bit. */
const LEAST_PX = 18;

/** The annotations of a chart, at their times, with the way to add one. */
export function NoteLayer({ place, notes, mayAdd, problem, onRetry, frame, asked, ...times }: NoteLayerProps) {
  /** When a new one is to be, or which is changed. */
  const [written, write] = useState<number | Note | null>(null);
  const placed = notes
    .map((item) => ({ item, index: placeOf(times, item.atMs) }))
    .filter(({ index }) => index >= 0)
    .map(({ item, index }) => ({ item, leftPx: frame.leftOf(index) }));
  const groups = grouped(placed, LEAST_PX);
  const add = (index: number) => write(instantOf(times.days[index]!, times.zone));
  useEffect(() => {
    if (asked !== null) add(asked.index);
  }, [asked]);
  const base = { top: `${frame.top + frame.height}px` };
  return (
    <>
      {problem !== undefined && (
        <div class="chart-notes-lost" style={{ left: `${frame.left}px`, top: `${frame.top}px` }}>
          <Problem error={problem} missing="The annotations cannot be loaded." onRetry={onRetry} />
        </div>
      )}
      {mayAdd && <AddStrip frame={frame} count={times.days.length} onAdd={add} />}
      {groups.length > 0 && (
        <ul class="chart-notes" aria-label="Annotations">
          {groups.map(({ leftPx, items }) => (
            <li key={items[0]!.id} style={{ left: `${Math.round(leftPx)}px`, ...base }}>
              <span class="chart-note-line" style={{ height: `${frame.height}px` }} />
              <Mark notes={items} zone={times.zone} place={place} onEdit={write} onAdd={mayAdd ? write : undefined} />
            </li>
          ))}
        </ul>
      )}
      {written !== null && place.of === "project" && (
        <NoteDialog
          projectId={place.projectId}
          zone={times.zone}
          {...(typeof written === "number"
            ? { atMs: written, scopes: scopesAt(place), insightId: place.insight?.id, dashboardId: place.board?.id }
            : { note: written.own! })}
          onClose={() => write(null)}
        />
      )}
    </>
  );
}

interface MarkProps {
  notes: readonly Note[];
  zone: string;
  place: NotePlace;
  onEdit(note: Note): void;
  onAdd?(atMs: number): void;
}

/** A mark at the foot of a chart; it says what it is about when pointed at, and opens the list. */
function Mark({ notes, zone, place, onEdit, onAdd }: MarkProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [tip, setTip] = useState<{ x: number; y: number } | null>(null);
  const first = notes[0]!;
  const when = formatDateTime(new Date(first.atMs), zone);
  const name = notes.length === 1 ? `Annotation, ${when}: ${first.text}` : `${notes.length} annotations, ${when}`;
  const close = () => {
    setOpen(false);
    anchor.current?.focus();
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        class="chart-note-mark"
        aria-label={name}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        // The focus comes into the list a moment after it is shown.
        onKeyDown={(event) => event.key === "Escape" && close()}
        onPointerEnter={({ clientX: x, clientY: y }) => setTip({ x, y })}
        onPointerLeave={() => setTip(null)}
      >
        {notes.length === 1 ? <Icon name="pin" size={10} /> : notes.length}
      </button>
      {tip !== null && !isOpen && (
        <Tip {...tip}>
          <div class="tip-title">{when}</div>
          {notes.slice(0, TIP_MAX).map(({ id, text }) => (
            <div key={id} class="chart-note-tip" dir="auto">
              {text}
            </div>
          ))}
        </Tip>
      )}
      {isOpen && (
        <Popover anchor={anchor} label="Annotations" class="note-box" placement="top" onClose={close}>
          <NoteList
            notes={notes}
            zone={zone}
            projectId={place.of === "project" ? place.projectId : null}
            labels={SCOPE_LABELS}
            onClose={close}
            onEdit={(note) => {
              close();
              onEdit(note);
            }}
            onAdd={
              onAdd &&
              (() => {
                close();
                onAdd(first.atMs);
              })
            }
          />
        </Popover>
      )}
    </>
  );
}

const TIP_MAX = 6;

interface AddStripProps {
  frame: PlotFrame;
  /** Of places. */
  count: number;
  onAdd(index: number): void;
}

/** Over the labels of the time axis: shows a plus at the place that is pointed at. By keyboard it is the key A. */
function AddStrip({ frame, count, onAdd }: AddStripProps) {
  const [index, setIndex] = useState<number | null>(null);
  const nearest = (event: PointerEvent | MouseEvent) => {
    const strip = event.currentTarget as HTMLElement;
    const left = event.clientX - strip.getBoundingClientRect().left + frame.left;
    const distance = (at: number) => Math.abs(frame.leftOf(at) - left);
    let best = 0;
    for (let at = 1; at < count; at++) if (distance(at) < distance(best)) best = at;
    return best;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key A of the chart does the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      class="chart-note-strip"
      title="Add an annotation"
      style={{ left: `${frame.left}px`, top: `${frame.top + frame.height}px`, width: `${frame.width}px` }}
      onPointerMove={(event) => setIndex(nearest(event))}
      onPointerLeave={() => setIndex(null)}
      onClick={(event) => onAdd(nearest(event))}
    >
      {index !== null && (
        <span class="chart-note-plus" style={{ left: `${Math.round(frame.leftOf(index) - frame.left)}px` }}>
          <Icon name="plus" size={12} />
        </span>
      )}
    </div>
  );
}
