import { useEffect, useState } from "preact/hooks";
import type { QueryNode } from "../../api/node.ts";
import { runQuery } from "../../api/query.ts";
import { formatCount, formatNumber, formatPercent } from "../../format/number.ts";
import type { PropertyFilter } from "../../question/types.ts";
import { useLater } from "../../ui/later.ts";
import { messageOf } from "../../ui/notice.tsx";

const PAUSE_MS = 400;
const DAYS = 30;

interface Counts {
  events: number;
  eventsLeft: number;
  persons: number;
  personsLeft: number;
}

/** How much filters of test accounts leave out, counted anew while they change. */
export function LeftOut({ projectId, filters }: { projectId: number; filters: readonly PropertyFilter[] }) {
  const key = useLater(JSON.stringify(filters), PAUSE_MS);
  const [counted, setCounted] = useState<{ key: string; text: string } | null>(null);
  useEffect(() => {
    if (key === "[]") return;
    const control = new AbortController();
    const tell = (text: string) => !control.signal.aborted && setCounted({ key, text });
    count(projectId, JSON.parse(key), control.signal).then(
      (counts) => tell(inWords(counts)),
      (error: unknown) => tell(`It cannot be counted what they leave out: ${messageOf(error)}`),
    );
    return () => control.abort();
  }, [projectId, key]);
  const isCounting = key !== JSON.stringify(filters) || counted?.key !== key;
  return (
    <p class="pale" role="status">
      {filters.length === 0 ? "Without a filter nothing is left out." : isCounting ? "Counting…" : counted?.text}
    </p>
  );
}

async function count(projectId: number, filters: readonly PropertyFilter[], signal: AbortSignal): Promise<Counts> {
  const series = ["total", "dau"].flatMap((math) => {
    const all = { kind: "EventsNode", event: null, math };
    return [all, { ...all, properties: filters }];
  });
  const node = {
    kind: "TrendsQuery",
    series,
    dateRange: { date_from: `-${DAYS}d` },
    trendsFilter: { display: "BoldNumber" },
  } as unknown as QueryNode;
  const { results } = await runQuery(projectId, node, { signal });
  const values = (results as { aggregated_value?: number | null }[]).map((one) => one.aggregated_value ?? 0);
  const [events = 0, eventsLeft = 0, persons = 0, personsLeft = 0] = values;
  return { events, eventsLeft, persons, personsLeft };
}

function inWords({ events, eventsLeft, persons, personsLeft }: Counts): string {
  if (events === 0) return `There were no events in the last ${DAYS} days.`;
  const [eventsOut, personsOut] = [events - eventsLeft, persons - personsLeft];
  const share = eventsOut === 0 ? "" : ` (${formatPercent(eventsOut / events)})`;
  return `Of the last ${DAYS} days they leave out ${formatNumber(eventsOut)} of ${formatCount(events, "event")}${share}, and ${formatNumber(personsOut)} of ${formatCount(persons, "person", "persons")} altogether.`;
}
