import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { type Api, ApiRefused } from "../api/mod.ts";
import { stringifyExact } from "../exact.ts";
import type { Reporting } from "./report.ts";

const KIND = "group";
/** As many as `groups/batch/` takes. */
const AT_ONCE = 500;

interface Around {
  api: Api;
  reporting: Reporting;
  /** The number here of a type by its number there; null where it has none. */
  indexOf(index: number): number | null;
}

/**
 * Makes the groups that are not here yet as they are there: their events alone do not tell which value came last. Groups that
 * are here stay as they are.
 */
export async function bringGroups(groups: AsyncIterable<JsonObject>, o: Around): Promise<void> {
  const here = new Map<number, Promise<Map<string, string>>>();
  let waiting: JsonObject[] = [];
  for await (const { group_type_index, ...group } of groups) {
    const index = o.indexOf(Number(group_type_index));
    if (index === null) {
      o.reporting.count(KIND, "left_out");
      continue;
    }
    const present = (await here.getOrInsertComputed(index, () => groupsHere(index, o.api))).get(
      String(group.group_key),
    );
    if (present !== undefined) {
      o.reporting.count(KIND, present === stateOf(group) ? "same" : "changed");
      continue;
    }
    waiting.push({ group_type_index: index, ...group });
    if (waiting.length < AT_ONCE) continue;
    await make(waiting, o);
    waiting = [];
  }
  if (waiting.length > 0) await make(waiting, o);
}

/** What is known of groups of a type, by their keys: a hash, for they may be many. */
async function groupsHere(index: number, api: Api): Promise<Map<string, string>> {
  const here = new Map<string, string>();
  for await (const group of api.pages(`groups/?group_type_index=${index}`)) {
    here.set(String(group.group_key), stateOf(group));
  }
  return here;
}

const stateOf = ({ group_properties, created_at }: JsonObject): string =>
  Bun.hash(stringifyExact([group_properties ?? null, created_at ?? null])).toString(36);

async function make(groups: JsonObject[], o: Around): Promise<void> {
  const refused = await send(groups, o.api);
  if (refused === "too large" && groups.length > 1) {
    const middle = groups.length >> 1;
    await make(groups.slice(0, middle), o);
    return make(groups.slice(middle), o);
  }
  const problems = refused === "too large" ? [{ index: 0, detail: refused }] : refused;
  if (problems.length < groups.length) o.reporting.count(KIND, "added", groups.length - problems.length);
  for (const { index, detail } of problems) {
    const name = String(groups[Number(index)]?.group_key ?? "");
    o.reporting.note({ kind: KIND, id: null, name, outcome: "left_out", reason: `Weir refuses it: ${detail}` });
  }
}

/** Those that Weir does not take. */
async function send(groups: JsonObject[], api: Api): Promise<JsonObject[] | "too large"> {
  try {
    // What is told twice is the same.
    const { problems } = await api.send("POST", "groups/batch/", { groups }, { isHarmless: true });
    return Array.isArray(problems) ? problems.filter(isJsonObject) : [];
  } catch (error) {
    if (error instanceof ApiRefused && error.status === 413) return "too large";
    throw error;
  }
}
