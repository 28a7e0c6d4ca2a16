import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { type Api, ApiRefused } from "../api/mod.ts";
import { carriedOf, DEFINITIONS, OBJECTS, PRIMARY_DASHBOARD, SETTINGS, taken, tilesOf } from "./members.ts";
import { type Carried, type DefinitionKind, OBJECT_KINDS, type ObjectKind, type ProjectObjects } from "./model.ts";

/** What a project may have that Weir does not: told with its number. */
const UNKNOWN_HERE: Record<string, string> = {
  subscriptions: "subscriptions are not taken over: they would be sent by both",
  feature_flags: "Weir has no feature flags",
  experiments: "Weir has no experiments",
  surveys: "Weir has no surveys",
  early_access_features: "Weir has no early access features",
  notebooks: "Weir has no notebooks",
};

/** All objects of a project. Throws ApiRefused, RetryableError. */
export async function readObjects(api: Api): Promise<ProjectObjects> {
  const project = await api.object("");
  const found: ProjectObjects = {
    settings: taken(project, [...Object.keys(SETTINGS), PRIMARY_DASHBOARD]),
    groupTypes: await readGroupTypes(api),
    definitions: {
      event_definition: await readDefinitions(api, "event_definition"),
      property_definition: await readDefinitions(api, "property_definition"),
    },
    objects: { cohort: [], action: [], insight: [], dashboard: [], annotation: [], alert: [] },
    left: [],
  };
  for (const kind of OBJECT_KINDS) {
    const items = await listed(api, kind);
    if (items === null) {
      found.left.push({ kind, id: null, name: "all", reason: "the key may not read them" });
      continue;
    }
    for (const item of items.sort(byId)) {
      const reason = leftOutFor(kind, item);
      if (reason === null) found.objects[kind].push(await whole(api, kind, item));
      else if (reason !== "") found.left.push({ kind, id: carriedOf(kind, item).id, name: nameOf(item), reason });
    }
  }
  found.left.push(...(await readUnknown(api)));
  return found;
}

/** Kinds that a key of `weir export` did not need in older versions, and that an older PostHog does not have. */
const OPTIONAL: ReadonlySet<ObjectKind> = new Set(["annotation", "alert"]);

/** Those that are not deleted; null where the key may not read the kind. */
async function listed(api: Api, kind: ObjectKind): Promise<JsonObject[] | null> {
  try {
    return (await api.all(OBJECTS[kind].path)).filter((item) => item.deleted !== true);
  } catch (error) {
    if (error instanceof ApiRefused && OPTIONAL.has(kind)) return null;
    throw error;
  }
}

const byId = (a: JsonObject, b: JsonObject): number =>
  Number(a.id) - Number(b.id) || (String(a.id) < String(b.id) ? -1 : 1);

const nameOf = (item: JsonObject): string => String(item.name || item.derived_name || "");

/** Null for what is taken; "" for what is left out without a word: looks at something that nobody has saved. */
function leftOutFor(kind: ObjectKind, item: JsonObject): string | null {
  if (kind === "annotation") return typeof item.date_marker === "string" ? null : "it has no time";
  if (kind === "insight") {
    const isPlaced = Array.isArray(item.dashboards) && item.dashboards.length > 0;
    if (item.saved !== true && !isPlaced) return "";
    const isEmpty = !isJsonObject(item.query) && !(isJsonObject(item.filters) && Object.keys(item.filters).length > 0);
    return isEmpty ? "it has no query" : null;
  }
  if (kind === "cohort" && item.is_static !== true) {
    const filters = isJsonObject(item.filters) ? item.filters.properties : null;
    if (!isJsonObject(filters)) return "it has the form of conditions that came before filters";
  }
  return null;
}

async function whole(api: Api, kind: ObjectKind, item: JsonObject): Promise<Carried> {
  const carried = carriedOf(kind, item);
  if (kind === "dashboard") {
    const dashboard = await api.object(`dashboards/${carried.id}/`);
    return { ...carriedOf("dashboard", { ...item, ...dashboard }), tiles: tilesOf(dashboard) };
  }
  if (kind === "cohort" && carried.body.is_static === true) {
    return { ...carried, persons: await readPersons(api, Number(carried.id)) };
  }
  return carried;
}

/** A distinct_id of each person of a static cohort. */
async function readPersons(api: Api, cohortId: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const person of api.pages(`cohorts/${cohortId}/persons/`)) {
    const [first] = Array.isArray(person.distinct_ids) ? [...person.distinct_ids].sort() : [];
    if (typeof first === "string") ids.push(first);
  }
  return ids.sort();
}

async function readGroupTypes(api: Api): Promise<string[]> {
  const types = await api.get("groups_types/");
  const names: string[] = [];
  for (const type of Array.isArray(types) ? types.filter(isJsonObject) : []) {
    names[Number(type.group_type_index)] = String(type.group_type);
  }
  return Array.from(names, (name) => name ?? "");
}

/** Of events, persons and the types of groups; those alone that say more than a name. */
async function readDefinitions(api: Api, kind: DefinitionKind): Promise<JsonObject[]> {
  const { path, keys, members } = DEFINITIONS[kind];
  const owners =
    kind === "event_definition"
      ? [""]
      : ["?type=event", "?type=person", ...[0, 1, 2, 3, 4].map((i) => `?type=group&group_type_index=${i}`)];
  const found: JsonObject[] = [];
  for (const owner of owners) {
    const query = new URLSearchParams(owner);
    for (const item of await api.all(`${path}${owner}`)) {
      const more = taken(item, members);
      if (Object.values(more).every(isEmpty)) continue;
      const told = kind === "event_definition" ? {} : ownerOf(query);
      found.push({ ...taken(item, keys), ...told, ...more });
    }
  }
  return found;
}

function ownerOf(query: URLSearchParams): JsonObject {
  const index = query.get("group_type_index");
  return { type: query.get("type"), ...(index !== null && { group_type_index: Number(index) }) };
}

const isEmpty = (value: unknown): boolean =>
  value === "" || value === false || (Array.isArray(value) && value.length === 0);

/** How many there are of what Weir does not have. A key that may not look at them is no error. */
async function readUnknown(api: Api): Promise<ProjectObjects["left"]> {
  const left: ProjectObjects["left"] = [];
  for (const [path, reason] of Object.entries(UNKNOWN_HERE)) {
    try {
      const { count, results } = await api.object(`${path}/?limit=1`);
      const number = typeof count === "number" ? count : Array.isArray(results) ? results.length : 0;
      if (number > 0) left.push({ kind: path, id: null, name: `${number}`, reason });
    } catch (error) {
      if (!(error instanceof ApiRefused)) throw error;
    }
  }
  return left;
}
