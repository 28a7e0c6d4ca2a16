/** A column of a table. Readers find it in files by its number, whatever its name. */
export interface Field {
  id: number;
  name: string;
  type: "string" | "boolean" | "timestamptz";
}

/** As the metadata of a table has it. */
export function schemaOf(fields: readonly Field[], schemaId: number): object {
  const ofFields = fields.map(({ id, name, type }) => ({ id, name, required: false, type }));
  return { type: "struct", "schema-id": schemaId, fields: ofFields };
}

/** Names that no two columns share in any case: many readers fold it. What is taken gets its number behind. */
export function namedApart(fields: readonly Field[]): Field[] {
  const taken = new Set<string>();
  return fields.map((field) => {
    const isTaken = taken.has(field.name.toLowerCase());
    const name = isTaken ? `${field.name}_${field.id}` : field.name;
    taken.add(name.toLowerCase());
    return { ...field, name };
  });
}
