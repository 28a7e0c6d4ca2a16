import type { Actor } from "../../actors/contract.ts";
import type { Catalog } from "../../src/lake/mod.ts";
import type { SimDuplicates, SimWriter } from "./disk.ts";
import type { FrontWrongs } from "./frontWrongs.ts";
import type { ReaderOptions, SimReader } from "./reader.ts";
import type { Receiver } from "./receiver.ts";
import type { Process } from "./scheduler.ts";
import type { StoreFault } from "./store.ts";
import type { Universe } from "./universe.ts";

/** A part of the machine that does wrong, to see that the simulation notices. What is absent is as it should be. */
export interface Plant {
  /** The catalog of each worker. */
  catalog?(catalog: Catalog, universe: Universe, process: Process, receiver: Receiver): Catalog;
  /** The catalog of each compactor. */
  compactorCatalog?(catalog: Catalog, universe: Universe): Catalog;
  reader?(universe: Universe, process: Process, o: ReaderOptions): SimReader;
  duplicates?(universe: Universe, process: Process): SimDuplicates;
  writer?(universe: Universe, process: Process, duplicates: SimDuplicates): SimWriter;
  /** The actors of each worker. */
  actors?(actors: readonly Actor[]): readonly Actor[];
  front?: FrontWrongs;
  storeFault?: StoreFault;
}

export interface PlantedViolation {
  /** Of the protocol. */
  rule: number;
  what: string;
  plant: Plant;
}
