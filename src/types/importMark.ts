/** The property that names the import an event came with. */
export const IMPORT_ID = "$import_id";

/** How that property stands in the stored text of an event's properties: an importer writes JSON without blanks. */
export const importMark = (importId: string): string => `${JSON.stringify(IMPORT_ID)}:${JSON.stringify(importId)}`;
