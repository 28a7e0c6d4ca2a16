import type { PlantedViolation } from "../plant.ts";

/** What compactors do wrong, where there are several. */
export const COMPACTOR_PLANTS: readonly PlantedViolation[] = [
  {
    rule: 11,
    what: "a compactor that has lost its claim swaps",
    plant: {
      compactorCatalog: (catalog, { store, scheduler }) => ({
        ...catalog,
        replaceSegments: (swap) => {
          store.rows(
            "insert or ignore into compaction_jobs (id, holder, kind, began_at_ms, expires_at_ms) values (?, '', '', 0, ?) returning id",
            swap.jobId,
            scheduler.nowMs + 1_000,
          );
          store.rows(
            "update segments set state = 'pending' where state = 'dead' and writer = ? returning id",
            swap.jobId,
          );
          return catalog.replaceSegments(swap);
        },
      }),
    },
  },
  {
    rule: 11,
    what: "two compactors get the same file",
    plant: {
      compactorCatalog: (catalog, { store }) => ({
        ...catalog,
        runningJobs: async () => [],
        claimJob: (claim) => {
          store.rows("delete from compaction_files where is_input = 1 returning job_id");
          return catalog.claimJob(claim);
        },
      }),
    },
  },
  {
    rule: 11,
    what: "a swap does not see that its inputs are gone",
    plant: {
      compactorCatalog: (catalog, { store, disk }) => ({
        ...catalog,
        replaceSegments: async (swap) => {
          await catalog.replaceSegments(swap);
          const [first] = swap.inputs;
          if (first === undefined || !disk.files.has(first)) return;
          store.rows("update segments set state = 'live', replaced_at = null where id = ? returning id", first);
        },
      }),
    },
  },
  {
    rule: 12,
    what: "a swap says that it knew of deletions that it did not know of",
    plant: {
      compactorCatalog: (catalog) => ({
        ...catalog,
        unfinishedErasures: async () => [],
        replaceSegments: (swap) => catalog.replaceSegments({ ...swap, erasedThrough: swap.erasedThrough + 1_000_000 }),
      }),
    },
  },
];
