import { useMemo } from "preact/hooks";
import { invalidate, useData } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import type { Cover, CoverProps } from "../../../charts/parts/cover.ts";
import { may } from "../../../session/rights.ts";
import { later } from "../../../ui/later.tsx";
import { type Note, type NotePlace, standsOn } from "./types.ts";

const NoteLayer = later(() => import("./layer.tsx").then((file) => file.NoteLayer));
/** The newest; older ones are in the list of all. */
const LIMIT = 1_000;
const FRESH_MS = 60_000;

/** The annotations on the charts of a place, and the way to add one. The script for both comes when the first is needed. */
export function useNotes(place: NotePlace): Cover | null {
  const key = JSON.stringify(place);
  return useMemo(() => {
    const isLink = place.of === "link";
    if (!isLink && !may("annotation:read")) return null;
    const mayAdd = !isLink && may("annotation:write");
    return { mayAdd, Layer: (props) => <Notes {...props} place={place} mayAdd={mayAdd} /> };
  }, [key]);
}

function Notes({ place, mayAdd, ...props }: CoverProps & { place: NotePlace; mayAdd: boolean }) {
  const key = place.of === "link" ? `annotations/${place.token}` : `annotations/${place.projectId}/`;
  const { data, error } = useData(
    key,
    () => (place.of === "link" ? ofLink(place.token) : ofProject(place.projectId)),
    FRESH_MS,
  );
  const notes = useMemo(() => (data ?? NONE).filter((note) => isHere(note, place)), [data, place]);
  const isWanted = mayAdd && (props.isUsed || props.asked !== null);
  const problem = data === undefined ? error : undefined;
  if (notes.length === 0 && !isWanted && problem === undefined) return null;
  return <NoteLayer {...props} {...{ place, notes, mayAdd, problem }} onRetry={() => invalidate(key)} />;
}

const NONE: readonly Loaded[] = [];
type Loaded = Note & { insightId: number | null };

function isHere({ own, insightId }: Loaded, place: NotePlace): boolean {
  if (place.of === "link") return insightId === null || insightId === place.insightId;
  return own !== null && standsOn(own, place);
}

async function ofProject(projectId: number): Promise<readonly Loaded[]> {
  const { results } = await call("GET /api/environments/{project_id}/annotations/", {
    params: { project_id: String(projectId) },
    query: { limit: LIMIT, hidden_in_user_interface: false },
  });
  return results.flatMap((own) => {
    const { id, content, date_marker: at } = own;
    return at === null ? [] : [{ id, text: content ?? "", atMs: Date.parse(at), own, insightId: null }];
  });
}

async function ofLink(token: string): Promise<readonly Loaded[]> {
  const { results } = await call("GET /shared/{token}/annotations/", { params: { token } });
  return results.map(({ id, content, date_marker, dashboard_item: insightId }) => ({
    ...{ id, text: content ?? "", atMs: Date.parse(date_marker), own: null, insightId },
  }));
}
