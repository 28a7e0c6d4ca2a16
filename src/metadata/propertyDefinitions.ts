import { randomUUID } from "node:crypto";
import { type Listed, type ListPage, numberOrNull, type Stored, Table, type Tx, wordsCondition } from "../store/mod.ts";
import { only, type PropertyOwner, type PropertyType, type SeenProperty } from "../types/mod.ts";
import {
  type DefinitionText,
  type DefinitionTextRow,
  definitionText,
  definitionTextColumns,
  isShown,
  newDefinitionText,
  type ShownFilter,
} from "./definitionText.ts";
import { raiseRecordVersion } from "./recordVersions.ts";

/** Which property of which kind of thing. */
interface PropertyName {
  owner: PropertyOwner;
  name: string;
}

/** The type of a property, and its description. */
export interface PropertyDefinition extends PropertyName, DefinitionText {
  id: string;
  teamId: number;
  /** Null where the type is not known, or a user has set none. */
  propertyType: PropertyType | null;
  /** A user has set the type: events do not change it. */
  isSet: boolean;
  createdAtMs: number;
  /** Insights in use that name it; null where nobody has counted yet. */
  queryUsage30Day: number | null;
}

/** Columns that a list can be ordered by. */
export const PROPERTY_DEFINITION_ORDERS = {
  name: "name",
  created_at: "created_at_ms",
  query_usage_30_day: "query_usage_30_day",
} as const;

interface PropertyRow extends DefinitionTextRow {
  id: string;
  team_id: Stored;
  owner: PropertyOwner["type"];
  group_index: Stored;
  name: string;
  property_type: PropertyType | null;
  is_set: Stored;
  created_at_ms: Stored;
  query_usage_30_day: Stored | null;
}

const groupIndexOf = (owner: PropertyOwner): number => (owner.type === "group" ? owner.index : -1);

const ownerOf = ({ owner, group_index: index }: Pick<PropertyRow, "owner" | "group_index">): PropertyOwner =>
  owner === "group" ? { type: owner, index: Number(index) } : { type: owner };

const TABLE = new Table<PropertyRow, PropertyDefinition>("property_definitions", (row) => ({
  id: row.id,
  teamId: Number(row.team_id),
  owner: ownerOf(row),
  name: row.name,
  propertyType: row.property_type,
  isSet: Number(row.is_set) === 1,
  createdAtMs: Number(row.created_at_ms),
  queryUsage30Day: numberOrNull(row.query_usage_30_day),
  ...definitionText(row),
}));

/** One that nobody has counted yet. */
type NewPropertyDefinition = Omit<PropertyDefinition, "id" | "teamId" | "queryUsage30Day">;

const toRow = (teamId: number, definition: NewPropertyDefinition) => ({
  id: randomUUID(),
  team_id: teamId,
  owner: definition.owner.type,
  group_index: groupIndexOf(definition.owner),
  name: definition.name,
  property_type: definition.propertyType,
  is_set: Number(definition.isSet),
  created_at_ms: definition.createdAtMs,
  ...definitionTextColumns(definition),
});

/** Makes the definition that a user asks for; null where there is one already. */
export async function createPropertyDefinition(
  tx: Tx,
  teamId: number,
  definition: NewPropertyDefinition,
): Promise<PropertyDefinition | null> {
  const created = await TABLE.insertNew(tx, toRow(teamId, definition));
  if (created !== null) await raiseRecordVersion(tx, teamId);
  return created;
}

/** Saves a changed definition whole. */
export async function updatePropertyDefinition(tx: Tx, definition: PropertyDefinition): Promise<void> {
  await TABLE.update(tx, definition.id, {
    property_type: definition.propertyType,
    is_set: Number(definition.isSet),
    ...definitionTextColumns(definition),
  });
  await raiseRecordVersion(tx, definition.teamId);
}

/** Its type is detected anew when it arrives again. */
export async function removePropertyDefinition(tx: Tx, { id, teamId }: PropertyDefinition): Promise<void> {
  await tx`delete from property_definitions where id = ${id}`;
  await raiseRecordVersion(tx, teamId);
}

/** By id, or by what it defines. */
export function findPropertyDefinition(
  tx: Tx,
  teamId: number,
  ref: { id: string } | PropertyName,
): Promise<PropertyDefinition | null> {
  const isIt =
    "id" in ref
      ? tx`id = ${ref.id}`
      : tx`owner = ${ref.owner.type} and group_index = ${groupIndexOf(ref.owner)} and name = ${ref.name}`;
  return TABLE.find(tx, teamId, isIt);
}

/** Every condition but the first two is optional; all given ones must hold. */
export interface PropertyFilter extends ShownFilter {
  teamId: number;
  owner: PropertyOwner["type"];
  groupIndex?: number;
  names?: readonly string[];
  exceptNames?: readonly string[];
  isNumerical?: boolean;
  /** Words; each is part of the name, the description or a tag, in any case. */
  search?: string;
  /** Names that come first. */
  firstNames?: readonly string[];
}

export async function listPropertyDefinitions(
  tx: Tx,
  filter: PropertyFilter,
  page: ListPage,
): Promise<Listed<PropertyDefinition>> {
  const { names, exceptNames, groupIndex, isNumerical, search } = filter;
  if (names?.length === 0) return { count: 0, items: [] };
  const isNumeric = tx`coalesce(property_type, '') = 'Numeric'`;
  const where = tx`owner = ${filter.owner}
    ${groupIndex === undefined ? tx`` : tx`and group_index = ${groupIndex}`}
    ${names === undefined ? tx`` : tx`and name in ${tx([...names])}`}
    ${exceptNames === undefined || exceptNames.length === 0 ? tx`` : tx`and name not in ${tx([...exceptNames])}`}
    ${isNumerical === undefined ? tx`` : isNumerical ? tx`and ${isNumeric}` : tx`and not (${isNumeric})`}
    and ${isShown(tx, filter)}
    ${search === undefined ? tx`` : tx`and ${wordsCondition(tx, search)}`}`;
  const { firstNames = [] } = filter;
  const first = firstNames.length === 0 ? undefined : tx`case when name in ${tx([...firstNames])} then 0 else 1 end`;
  return TABLE.page(tx, filter.teamId, where, page, { first, ties: tx`name, id` });
}

/** Every property of which a type is known. */
export async function readPropertyTypes(
  tx: Tx,
  teamId: number,
): Promise<(PropertyName & { propertyType: PropertyType })[]> {
  const rows: (Pick<PropertyRow, "owner" | "group_index" | "name"> & { property_type: PropertyType })[] = await tx`
    select owner, group_index, name, property_type from property_definitions
    where team_id = ${teamId} and property_type is not null`;
  return rows.map((row) => ({ owner: ownerOf(row), name: row.name, propertyType: row.property_type }));
}

/** Names that one statement may ask for. */
const NAMES_AT_ONCE = 500;

/**
 * Records properties that arrived. The first type stays, and so does one that a user has set. Beyond `max` definitions no
 * new ones are made.
 */
export async function noteProperties(
  tx: Tx,
  teamId: number,
  seen: readonly SeenProperty[],
  o: { nowMs: number; max: number },
): Promise<void> {
  if (seen.length === 0) return;
  const known = await knownTypes(tx, teamId, seen);
  const total: { n: Stored }[] = await tx`select count(*) as n from property_definitions where team_id = ${teamId}`;
  let room = o.max - Number(only(total).n);
  let typed = 0;
  for (const { owner, name, propertyType } of seen) {
    const type = known.get(placeOf(owner, name));
    if (type === undefined && room > 0) {
      const definition = {
        owner,
        name,
        propertyType,
        isSet: false,
        createdAtMs: o.nowMs,
        ...newDefinitionText(o.nowMs),
      };
      await TABLE.insertNew(tx, toRow(teamId, definition));
      room--;
    } else if (type === null && propertyType !== null) {
      await tx`update property_definitions set property_type = ${propertyType} where team_id = ${teamId}
        and owner = ${owner.type} and group_index = ${groupIndexOf(owner)} and name = ${name}
        and property_type is null and is_set = 0`;
    } else continue;
    known.set(placeOf(owner, name), propertyType);
    typed += Number(propertyType !== null);
  }
  if (typed > 0) await raiseRecordVersion(tx, teamId);
}

const placeOf = (owner: PropertyOwner, name: string): string => `${owner.type} ${groupIndexOf(owner)} ${name}`;

/** The types of these properties: `set` where a user has set none, null where the next type counts. */
async function knownTypes(
  tx: Tx,
  teamId: number,
  seen: readonly PropertyName[],
): Promise<Map<string, PropertyType | "set" | null>> {
  const names = [...new Set(seen.map(({ name }) => name))];
  const known = new Map<string, PropertyType | "set" | null>();
  for (let i = 0; i < names.length; i += NAMES_AT_ONCE) {
    const rows: Pick<PropertyRow, "owner" | "group_index" | "name" | "property_type" | "is_set">[] = await tx`
      select owner, group_index, name, property_type, is_set from property_definitions
      where team_id = ${teamId} and name in ${tx(names.slice(i, i + NAMES_AT_ONCE))}`;
    for (const row of rows) {
      known.set(placeOf(ownerOf(row), row.name), row.property_type ?? (Number(row.is_set) === 1 ? "set" : null));
    }
  }
  return known;
}
