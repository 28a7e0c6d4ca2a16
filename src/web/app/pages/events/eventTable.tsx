import { Component, type ComponentChildren, type RefObject } from "preact";
import { useCallback } from "preact/hooks";
import { cutPath } from "../../format/name.ts";
import { personPage } from "../../kinds/people/actor.ts";
import { eventLabel, propertyLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { IconButton } from "../../ui/button.tsx";
import { SpaceRow } from "../../ui/spaceRow.tsx";
import { useVirtual } from "../../ui/virtual.ts";
import type { ListedEvent } from "./listed.ts";
import { lateText, momentOf } from "./moments.ts";
import type { HoldHandlers } from "./useHeld.ts";

interface EventTableProps {
  projectId: number;
  zone: string;
  rows: readonly ListedEvent[];
  keyOf(row: ListedEvent): string | number;
  /** In the order in which they came, with the time of that; else by their own time. */
  isAsTheyCame: boolean;
  columns: readonly string[];
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** Told when somebody reads it. */
  hold?: HoldHandlers;
  onOpen(event: ListedEvent): void;
  onRemoveColumn(key: string): void;
  /** Behind the rows. */
  children?: ComponentChildren;
}

const ROW_PX = 36;
const sizePxOf = () => ROW_PX;

/** Events below each other; only the rows in sight are in the page. */
export function EventTable(props: EventTableProps) {
  const { rows, keyOf, columns, scroller, onRemoveColumn, hold, children, ...own } = props;
  // Of a list of another length the heights are asked for anew.
  const { rows: shown, totalPx } = useVirtual({
    count: rows.length,
    scroller,
    sizePxOf: useCallback(sizePxOf, [rows.length]),
  });
  const abovePx = shown[0]?.topPx ?? 0;
  const belowPx = totalPx - abovePx - shown.length * ROW_PX;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too
    <section ref={scroller} class="event-list" aria-label="Events" tabIndex={0} {...hold}>
      <table class="table event-table" aria-label="Events" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="event-when">
              {own.isAsTheyCame ? "Arrived" : "Time"}
            </th>
            <th scope="col" class="event-what">
              Event
            </th>
            <th scope="col">Person</th>
            <th scope="col" class="event-more">
              URL or screen
            </th>
            {columns.map((key) => (
              <th key={key} scope="col" class="event-more">
                <span class="event-column">
                  <span dir="auto" title={cut(key)}>
                    {cut(propertyLabel(key))}
                  </span>
                  <IconButton
                    label={`Remove the column ${cut(propertyLabel(key))}`}
                    icon="close"
                    onClick={() => onRemoveColumn(key)}
                  />
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <SpaceRow heightPx={abovePx} />
          {shown.map(({ index }) => {
            const row = rows[index]!;
            return <Row key={keyOf(row)} {...own} row={row} at={index + 2} />;
          })}
          <SpaceRow heightPx={belowPx} />
        </tbody>
      </table>
      {children}
    </section>
  );
}

type RowProps = Pick<EventTableProps, "projectId" | "zone" | "isAsTheyCame" | "onOpen"> & {
  row: ListedEvent;
  at: number;
};

/**
 * While one scrolls, rows that stay in sight are not made anew. Not by a memo of what they show: Preact would keep through it, from
 * row to row, all rows that ever were in sight.
 */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render(props: RowProps) {
    return rowOf(props);
  }
}

function rowOf({ projectId, zone, isAsTheyCame, row, at, onOpen }: RowProps) {
  const time = isAsTheyCame ? row.cameAt : row.at;
  const late = isAsTheyCame ? lateText(row) : null;
  const place = row.place === null ? null : cut(row.place);
  const name = cut(eventLabel(row.event));
  return (
    <tr aria-rowindex={at}>
      <td class="event-when">
        <time dateTime={time}>{momentOf(time, zone)}</time>
      </td>
      <td>
        <button
          type="button"
          class="text-button timeline-name"
          dir="auto"
          title={cut(row.event)}
          onClick={() => onOpen(row)}
        >
          {name}
          {row.clicked !== null && <span class="pale"> “{cut(row.clicked)}”</span>}
        </button>
        {late !== null && (
          <span class="event-late" title={`Its own time is ${momentOf(row.at, zone)}`}>
            {late}
          </span>
        )}
      </td>
      <td>
        <a href={personPage(projectId, row.distinctId)} dir="auto" title={cut(row.distinctId)}>
          {cut(row.distinctId)}
        </a>
      </td>
      <td class="event-more" dir="auto" title={place ?? undefined}>
        {place !== null && cutPath(place, 80)}
      </td>
      {row.values.map((value, column) => (
        <td key={column} class="event-more" dir="auto" title={value === null ? undefined : cut(value)}>
          {value === null ? <span class="pale">–</span> : cut(value)}
        </td>
      ))}
    </tr>
  );
}
