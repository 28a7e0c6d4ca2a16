/** How many digits of an id its key is made of. */
const DIGITS = 8;

/** SQL text of the key of a person's id: its first 32 bits as a number. The engine prunes by numbers, and not by uuids. Stored: never change it. */
export const personKey = (id: string): string => `('0x' || left(${id}::varchar, ${DIGITS}))::uinteger`;

/** The same of an id that is known: UUID text. */
export const personKeyOf = (id: string): number => Number.parseInt(id.slice(0, DIGITS), 16);
