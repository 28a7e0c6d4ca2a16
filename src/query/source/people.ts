import type { JsonObject } from "../../types/mod.ts";
import { RELATION, sql } from "../sql/sql.ts";
import type { QueryContext } from "./context.ts";
import { selectRows } from "./statement.ts";

/** A person as it is now. */
export interface Person {
  id: string;
  /** ISO 8601 in UTC. */
  createdAt: string;
  isIdentified: boolean;
  properties: JsonObject;
}

/** PostHog's; the first that a person has is its name. */
const NAMING = ["email", "Email", "$email", "name", "Name", "username", "Username", "UserName"];

/** What a person is called; null where none of the properties says it. */
export function displayName({ properties }: Pick<Person, "properties">, context: QueryContext): string | null {
  for (const key of context.personDisplayNameProperties ?? NAMING) {
    const value = properties[key];
    if ((typeof value === "string" && value !== "") || typeof value === "number") return String(value);
  }
  return null;
}

/** Those of the persons (uuids after all merges) that have a row, by id. Errors: those of `Lake.query`. */
export async function readPersons(ids: readonly string[], context: QueryContext): Promise<Map<string, Person>> {
  if (ids.length === 0) return new Map();
  const rows = await selectRows<[string, string, boolean, string]>(
    sql`SELECT p.id, strftime(p.created_at, '%Y-%m-%dT%H:%M:%S.%gZ'), p.is_identified, p.properties
      FROM ${RELATION.personsById(ids)} AS p`,
    { maxRows: ids.length },
    context,
  );
  return new Map(
    rows.map(([id, createdAt, isIdentified, properties]) => [
      id,
      { id, createdAt, isIdentified, properties: JSON.parse(properties) },
    ]),
  );
}

/** The distinct ids of persons, in order. Errors: those of `Lake.query`. */
export async function readDistinctIds(ids: readonly string[], context: QueryContext): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map();
  const statement = sql`SELECT d.person_id, list(d.distinct_id ORDER BY d.distinct_id)
    FROM ${RELATION.distinctIdsOf(ids)} AS d GROUP BY d.person_id`;
  return new Map(await selectRows<[string, string[]]>(statement, { maxRows: ids.length }, context));
}
