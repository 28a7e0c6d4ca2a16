import { noCounts, type Source, StagingFolder, type Telling } from "../../import/mod.ts";
import type { ImportArguments } from "./arguments.ts";

/** Where buckets are, and the credentials for them. */
export const s3Of = ({ given }: Pick<ImportArguments, "given">) => ({
  endpoint: given["s3-endpoint"] as string | undefined,
  env: process.env,
});

/** Brings what an API tells into a folder, and gives the paths of its files; none where the source reads files alone. */
export async function stagedFiles(
  source: Source<unknown>,
  options: unknown,
  o: { folder: string; signal: AbortSignal; tell: (telling: Telling) => void },
): Promise<string[]> {
  if (source.stage === undefined) return [];
  const nothing = { counts: noCounts(), stored: null, duplicates: null };
  const folder = await StagingFolder.open(o.folder, o.signal, (done, all, waitsFor) =>
    o.tell({ phase: "staging", done, all, share: all === 0 ? 0 : done / all, waitsFor, ...nothing }),
  );
  await source.stage(options, folder);
  return folder.parts.map(({ name }) => folder.path(name));
}
