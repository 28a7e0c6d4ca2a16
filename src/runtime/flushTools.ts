import type { Actor } from "../../actors/contract.ts";
import type { Catalog, CheckedEvent, FlushLayouts, SegmentFacts, SegmentWriter } from "../lake/mod.ts";
import type { DefinitionScan } from "./definitionScan.ts";
import type { ErasureView } from "./erasureView.ts";
import type { PersonCache } from "./personCache.ts";
import type { World } from "./world.ts";

/** The tools of a worker that a flush uses. */
export interface FlushTools {
  owner: string;
  generation: number;
  /** Of the generation. */
  partitions: number;
  catalog: Catalog;
  writer: Pick<SegmentWriter, "writeFlush">;
  layouts: Pick<FlushLayouts, "partsOf">;
  duplicates: {
    /** Marks with 1 what the catalog's segments hold now, or what comes twice. */
    mark(events: readonly CheckedEvent[]): Promise<Uint8Array>;
    adopt(segment: SegmentFacts): Promise<void>;
  };
  world: World;
  persons: PersonCache;
  definitions: DefinitionScan;
  limits: { definitionsMax: number };
  erasures: ErasureView;
  /** Whether the frames are from the streams as they are: false once the connection was lost and came back. */
  isCurrent(): boolean;
  actors: readonly Actor[];
  log(message: string): void;
}
