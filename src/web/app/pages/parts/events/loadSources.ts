import { eventRows } from "./eventRows.ts";
import type { Sources, Told } from "./origins.ts";

const SET_MAX = 100;
const ONCE_MAX = 20;
const NEWEST_MAX = 20;

/** The events of a person that tell of its properties. Throws ApiError. */
export async function loadSources(projectId: number, personId: string): Promise<Sources> {
  const rows = async (values: string, o: { limit: number; where?: string; orderBy?: string }) => {
    const select = ["uuid", "event", "timestamp", values];
    const { rows } = await eventRows(projectId, { person_id: personId, after: "all", select, ...o });
    return rows.map(toldOf);
  };
  const [set, once, newest] = await Promise.all([
    rows("properties.$set", { limit: SET_MAX, where: "properties.$set IS NOT NULL", orderBy: "timestamp DESC" }),
    rows("properties.$set_once", {
      limit: ONCE_MAX,
      where: "properties.$set_once IS NOT NULL",
      orderBy: "timestamp ASC",
    }),
    rows("properties", { limit: NEWEST_MAX, orderBy: "timestamp DESC" }),
  ]);
  return { set, once, newest };
}

const toldOf = ([uuid, event, at, values]: unknown[]): Told => ({
  uuid: String(uuid),
  event: String(event),
  at: new Date(String(at)).toISOString(),
  values: objectOf(values),
});

function objectOf(value: unknown): Told["values"] {
  try {
    const read: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Told["values"]) : {};
  } catch {
    return {};
  }
}
