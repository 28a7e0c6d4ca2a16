import type { WeirClient } from "../sending/mod.ts";

const PERSONS_ONLY_OF = `select count() from persons where id in (
  select person_id from events group by person_id having countIf(properties.$import_id = {id}) = count())`;

/** How many persons have events of this import and no others. Throws TerminalError `weir_refused`. */
export async function personsOnlyOf(weir: WeirClient, importId: string): Promise<number> {
  const [[persons] = []] = await weir.query(PERSONS_ONLY_OF, { id: importId });
  return Number(persons ?? 0);
}
