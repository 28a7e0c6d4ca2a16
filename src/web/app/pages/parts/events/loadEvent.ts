import { eventRows } from "./eventRows.ts";

/** An event with all that is stored of it. */
export interface WholeEvent {
  uuid: string;
  event: string;
  /** ISO 8601. */
  at: string;
  /** When it was accepted. */
  receivedAt: string;
  distinctId: string;
  properties: Readonly<Record<string, unknown>>;
  elementsChain: string;
  /** Null: it made none, or that was deleted. */
  person: EventPerson | null;
}

export interface EventPerson {
  id: string;
  properties: Readonly<Record<string, unknown>>;
  isIdentified: boolean;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const EDGE_MS = 1;

/** The event of an address; null where there is none. `at`: its time, where that is known: it is found at once then. Throws ApiError. */
export async function loadEvent(projectId: number, uuid: string, at: string | null): Promise<WholeEvent | null> {
  if (!UUID.test(uuid)) return null;
  const atMs = at === null ? Number.NaN : Date.parse(at);
  const edge = (ms: number) => new Date(ms).toISOString();
  const isNear = !Number.isNaN(atMs);
  const { rows } = await eventRows(projectId, {
    select: ["*", "person"],
    where: `uuid = '${uuid}'`,
    after: isNear ? edge(atMs - EDGE_MS) : "all",
    before: isNear ? edge(atMs + EDGE_MS) : FAR,
    limit: 1,
  });
  const [event, person] = (rows[0] ?? []) as [Star | undefined, Person | undefined];
  return event === undefined ? null : wholeOf(event, person ?? {});
}

/** Events of the future can be opened, too. */
const FAR = "2200-01-01T00:00:00Z";

interface Star {
  uuid: string;
  event: string;
  timestamp: string;
  created_at: string;
  distinct_id: string;
  properties: Record<string, unknown>;
  elements_chain: string;
}

interface Person {
  uuid?: string;
  properties?: Record<string, unknown>;
  is_identified?: boolean;
}

function wholeOf(star: Star, { uuid: id, properties = {}, is_identified = false }: Person): WholeEvent {
  return {
    uuid: star.uuid,
    event: star.event,
    at: new Date(star.timestamp).toISOString(),
    receivedAt: new Date(star.created_at).toISOString(),
    distinctId: star.distinct_id,
    properties: star.properties,
    elementsChain: star.elements_chain,
    person: id === undefined ? null : { id, properties, isIdentified: is_identified },
  };
}
