import { useEffect, useMemo } from "preact/hooks";
import { usePages } from "../../api/pages.ts";
import { find } from "../../question/search.ts";
import { useLater } from "../../ui/later.ts";
import { type Definition, loadPage } from "./load.ts";
import type { Subject } from "./subject.ts";

/** Which names are listed. */
export const CHOICES = [
  { value: "all", label: "All" },
  { value: "own", label: "Your own" },
  { value: "verified", label: "Verified" },
  { value: "hidden", label: "Hidden" },
] as const;
export type Choice = (typeof CHOICES)[number]["value"];

/** So many are loaded; of further ones the server is asked for what was typed. */
const LOADED_MAX = 10_000;
const PAUSE_MS = 250;

const FITS: Record<Choice, (definition: Definition) => boolean> = {
  all: () => true,
  own: ({ key }) => !key.startsWith("$"),
  verified: ({ verified }) => verified,
  hidden: ({ hidden }) => hidden,
};

const rank = ({ key }: Definition): number => Number(key.startsWith("$"));

/** The names of a project, page after page, and those of them that fit what was typed and chosen. */
export function useNames(projectId: number, subject: Subject, { typed, choice }: { typed: string; choice: Choice }) {
  const key = `${projectId} ${JSON.stringify(subject)}`;
  const all = usePages<Definition, number>(key, 0, (offset, signal) =>
    loadPage(projectId, subject, { offset }, signal),
  );
  useEffect(() => {
    if (all.hasMore && !all.isLoading && all.items.length < LOADED_MAX) all.more();
  }, [all.hasMore, all.isLoading, all.items.length]);
  const isPartial = all.hasMore && all.items.length >= LOADED_MAX;
  const asked = useLater(typed.trim(), PAUSE_MS);
  const search = isPartial ? asked : "";
  const found = usePages<Definition, number>(`${key} ${search}`, 0, async (offset, signal) =>
    search === "" ? { items: [], next: null } : loadPage(projectId, subject, { offset, search }, signal),
  );
  const rows = useMemo(() => {
    const known = new Map([...all.items, ...found.items].map((item) => [item.id, item]));
    // Of those that are used alike a project's own come first.
    return find([...known.values()].filter(FITS[choice]), typed).sort((a, b) => rank(a) - rank(b));
  }, [all.items, found.items, typed, choice]);
  return { ...all, rows, isPartial, isComplete: !all.hasMore && !all.isLoading };
}
