import { type Known, useData } from "../../api/cache.ts";
import type { QueryNode } from "../../api/node.ts";
import { runQuery } from "../../api/query.ts";
import { eventLabel } from "../../question/names.ts";
import { useZone } from "../../session/environment.ts";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { nodeKey } from "../nodeKey.ts";
import { type Actor, distinctIdOf } from "./actor.ts";
import { eventsNode } from "./peopleQuery.ts";

interface Matched {
  uuid: string;
  event: string;
  at: string;
  url: string | null;
}

const SHOWN_MAX = 20;
const UUID = /^[0-9a-f-]{36}$/i;

interface MatchedEventsProps {
  projectId: number;
  actor: Actor;
  source: QueryNode;
  /** How many there are; null where that is not known. */
  count: number | null;
}

/** The events because of which somebody is in the list. */
export function MatchedEvents({ projectId, actor, source, count }: MatchedEventsProps) {
  const search = distinctIdOf(actor) ?? actor.group_key;
  const zone = useZone(projectId);
  const key = search === undefined ? null : `matched ${projectId} ${actor.id} ${nodeKey(source)}`;
  const found: Known<readonly Matched[]> = useData(key, () => load(projectId, actor, source, search ?? ""));
  if (key === null || found.data?.length === 0) return null;
  return (
    <div>
      <h3>{count !== null && count > SHOWN_MAX ? `Matched events, the newest ${SHOWN_MAX}` : "Matched events"}</h3>
      {found.error !== undefined && <Problem error={found.error} />}
      {found.data === undefined && found.error === undefined && <Skeleton heightPx={48} />}
      <ul class="matched-events">
        {found.data?.map(({ uuid, event, at, url }) => (
          <li key={uuid}>
            <time dateTime={at}>{timeText(at, zone)}</time>
            <span class="cut" dir="auto" title={event}>
              {eventLabel(event)}
            </span>
            <span class="cut pale" dir="auto" title={url ?? undefined}>
              {url}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

async function load(projectId: number, actor: Actor, source: QueryNode, search: string): Promise<readonly Matched[]> {
  const { signal } = new AbortController();
  const { results } = await runQuery(projectId, eventsNode(source, search), { signal });
  const own = (results as [string, [string | null, string][]][]).find(([id]) => id === actor.id)?.[1] ?? [];
  const dated = own.filter(([at, uuid]) => at !== null && UUID.test(uuid)) as [string, string][];
  const newest = dated.sort(([one], [other]) => (one < other ? 1 : -1)).slice(0, SHOWN_MAX);
  if (newest.length === 0) return [];
  const answer = await runQuery(projectId, namesNode(newest), { signal });
  const named = new Map((answer.results as string[][]).map(([uuid, event, url]) => [uuid, { event, url }]));
  return newest.map(([at, uuid]) => ({
    uuid,
    at,
    event: named.get(uuid)?.event ?? "",
    url: named.get(uuid)?.url ?? null,
  }));
}

const EDGE_MS = 1_000;

/** What the events are called. */
function namesNode(events: readonly [string, string][]): QueryNode {
  const times = events.map(([at]) => Date.parse(at));
  return {
    kind: "EventsQuery",
    select: ["uuid", "event", "properties.$current_url"],
    where: [`uuid IN (${events.map(([, uuid]) => `'${uuid}'`).join(", ")})`],
    after: new Date(Math.min(...times) - EDGE_MS).toISOString(),
    before: new Date(Math.max(...times) + EDGE_MS).toISOString(),
    limit: SHOWN_MAX,
  };
}

/** In the project's time zone, as the chart has it. */
export const timeText = (at: string, timeZone: string | undefined): string =>
  new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone });
