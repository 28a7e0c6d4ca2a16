import { createHash } from "node:crypto";
import { differences, type JsonObject, STORED_RULES } from "./match.ts";
import type { Check, Scene } from "./scene.ts";

export interface StoredPersons {
  same?: string[][];
  different?: string[][];
  properties?: Record<string, JsonObject>;
  absent?: Record<string, string[]>;
  none?: string[];
  isIdentified?: Record<string, boolean>;
  createdAt?: Record<string, string>;
  personUuidFrom?: Record<string, string>;
}

/** One check for each thing that is to be so. */
export function personChecks(scene: Scene, wanted: StoredPersons): [string, () => Check][] {
  const { service, project } = scene;
  const checks: [string, () => Check][] = [];
  const add = (path: string, expected: unknown, read: () => Promise<unknown>, isMet: (got: unknown) => boolean) => {
    const check = async () => {
      const got = await read();
      return isMet(got) ? [] : [{ path, expected, got }];
    };
    checks.push([path, check]);
  };
  const record = async (id: string): Promise<JsonObject | null> => {
    const columns = ["properties", "created_at", "is_identified"];
    const query = `select ${columns.join(", ")} from persons where id = {id}`;
    const rows = await service.rows(project, query, { id: await personOf(scene, id) });
    if (rows[0] === undefined) return null;
    const person = Object.fromEntries(columns.map((column, i) => [column, rows[0]![i] ?? null]));
    return typeof person.properties === "string" ? { ...person, properties: JSON.parse(person.properties) } : person;
  };
  const propertiesOf = async (id: string) => (await record(id))?.properties as JsonObject | undefined;

  const distinct = (persons: unknown) => new Set(persons as string[]).size;
  const personsOf = (ids: string[]) => () => Promise.all(ids.map((id) => personOf(scene, id)));
  for (const ids of wanted.same ?? []) add("persons.same", ids, personsOf(ids), (got) => distinct(got) === 1);
  for (const ids of wanted.different ?? []) {
    add("persons.different", ids, personsOf(ids), (got) => distinct(got) === ids.length);
  }
  for (const [id, seed] of Object.entries(wanted.personUuidFrom ?? {})) {
    const expected = personUuid(project.id, seed);
    add(
      `persons.personUuidFrom.${id}`,
      expected,
      () => personOf(scene, id),
      (got) => got === expected,
    );
  }
  for (const [id, expected] of Object.entries(wanted.properties ?? {})) {
    const path = `persons.properties.${id}`;
    checks.push([path, async () => differences(expected, await propertiesOf(id), path, STORED_RULES)]);
  }
  for (const [id, keys] of Object.entries(wanted.absent ?? {})) {
    const isAbsent = (got: unknown) => keys.every((key) => !Object.hasOwn((got ?? {}) as JsonObject, key));
    add(`persons.absent.${id}`, keys, () => propertiesOf(id), isAbsent);
  }
  for (const id of wanted.none ?? [])
    add(
      `persons.none.${id}`,
      null,
      () => record(id),
      (got) => got === null,
    );
  for (const [id, expected] of Object.entries(wanted.isIdentified ?? {})) {
    const read = async () => (await record(id))?.is_identified;
    add(`persons.isIdentified.${id}`, expected, read, (got) => got === expected || got === Number(expected));
  }
  for (const [id, expected] of Object.entries(wanted.createdAt ?? {})) {
    const read = async () => (await record(id))?.created_at;
    const isMet = (got: unknown) => Date.parse(String(got)) === Date.parse(expected);
    add(`persons.createdAt.${id}`, expected, read, isMet);
  }
  return checks;
}

const PERSON_NAMESPACE = "932979b4-65c3-4424-8467-0b66ec27bc22";

/** UUIDv5 of "<team>:<distinct_id>". */
function personUuid(teamId: number, distinctId: string): string {
  const namespace = Buffer.from(PERSON_NAMESPACE.replaceAll("-", ""), "hex");
  const hash = createHash("sha1").update(namespace).update(`${teamId}:${distinctId}`).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * The person that a distinct_id stands for now, whether or not it has an event: one that makes and changes no
 * person is sent where none is.
 */
export async function personOf({ service, project }: Scene, distinctId: string): Promise<string> {
  const query = "select person_id from events where distinct_id = {id} limit 1";
  const read = () => service.rows(project, query, { id: distinctId });
  let rows = await read();
  if (rows.length === 0) {
    const properties = { $process_person_profile: false };
    await service.store(project, [{ event: "conformance probe", distinct_id: distinctId, properties }]);
    rows = await read();
  }
  return String(rows[0]?.[0]);
}
