import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { type Api, ApiRefused } from "../api/mod.ts";
import { DEFINITIONS, fingerprint, taken } from "./members.ts";
import type { DefinitionKind } from "./model.ts";
import { type Resolve, withIds } from "./references.ts";
import type { Reporting } from "./report.ts";

export interface Around {
  api: Api;
  reporting: Reporting;
  overwrite: boolean;
  resolve: Resolve;
}

/** Requests at once. */
const AT_ONCE = 4;

/** What is said of events and properties. What nobody has said here is taken; what is said otherwise is told. */
export async function bringDefinitions(from: Record<DefinitionKind, JsonObject[]>, around: Around): Promise<void> {
  for (const kind of ["event_definition", "property_definition"] as const) {
    const here = await readHere(kind, around.api);
    const wanted = from[kind].map((one) => withIds(one, around.resolve) as JsonObject);
    const turns = wanted.values();
    const work = async () => {
      for (const definition of turns) await bringOne(kind, definition, here.get(keyOf(kind, definition)), around);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

async function readHere(kind: DefinitionKind, api: Api): Promise<Map<string, JsonObject>> {
  const lists =
    kind === "event_definition"
      ? [""]
      : ["?type=event", "?type=person", ...[0, 1, 2, 3, 4].map((i) => `?type=group&group_type_index=${i}`)];
  const found = new Map<string, JsonObject>();
  for (const list of lists) {
    for (const item of await api.all(`${DEFINITIONS[kind].path}${list}`)) found.set(keyOf(kind, item), item);
  }
  return found;
}

function keyOf(kind: DefinitionKind, { name, type, group_type_index: index }: JsonObject): string {
  return JSON.stringify(kind === "event_definition" ? name : [name, type ?? "event", index ?? null]);
}

async function bringOne(
  kind: DefinitionKind,
  wanted: JsonObject,
  present: JsonObject | undefined,
  { api, reporting, overwrite }: Around,
): Promise<void> {
  const { path, keys, members } = DEFINITIONS[kind];
  const name = String(wanted.name);
  const leaveOut = (reason: string) => reporting.note({ kind, id: null, name, outcome: "left_out", reason });
  try {
    if (present === undefined) {
      await api.send("POST", path, taken(wanted, [...keys, ...members]));
      return reporting.count(kind, "added");
    }
    const differing = members.filter((member) => isSaid(wanted[member]) && !isEqual(wanted[member], present[member]));
    if (differing.length === 0) return reporting.count(kind, "same");
    const [said, unsaid] = [
      differing.filter((member) => isSaid(present[member])),
      differing.filter((member) => !isSaid(present[member])),
    ];
    const changes = taken(wanted, overwrite ? differing : unsaid);
    if (Object.keys(changes).length > 0) await api.send("PATCH", `${path}${String(present.id)}/`, changes);
    if (said.length === 0) return reporting.count(kind, "added");
    if (overwrite) return reporting.count(kind, "overwritten");
    const reason = `${said.join(", ")}: something else is said here, and stays`;
    reporting.note({ kind, id: null, name, outcome: "changed", reason });
  } catch (error) {
    if (!(error instanceof ApiRefused) || error.status !== 400) throw error;
    leaveOut(`Weir refuses it: ${error.detail}`);
  }
}

const isEqual = (a: Json | undefined, b: Json | undefined): boolean =>
  fingerprint(a ?? null) === fingerprint(b ?? null);

function isSaid(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) || (value !== undefined && value !== null && value !== "" && value !== false);
}
