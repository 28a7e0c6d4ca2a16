import type { Annotation } from "../../../api/schema.ts";

export type Scope = Annotation["scope"];

/** An annotation, as charts show it. */
export interface Note {
  id: number;
  text: string;
  atMs: number;
  /** The rest, where it is not a stranger that looks at a link. */
  own: Annotation | null;
}

/** What is shown around the chart of an insight. */
export type NotePlace =
  | {
      of: "project";
      projectId: number;
      /** Null for one that is not saved. */
      insight: { id: number; mayEdit: boolean; dashboards: readonly number[] } | null;
      /** The dashboard on which it stands; null on its own page. */
      board: { id: number; mayEdit: boolean } | null;
    }
  | { of: "link"; token: string; insightId: number };
export type OfProject = Extract<NotePlace, { of: "project" }>;

/** Whether an annotation stands on the charts of a place. */
export function standsOn(note: Annotation, { insight, board }: OfProject): boolean {
  if (note.hidden_in_user_interface) return false;
  switch (note.scope) {
    case "dashboard_item":
      return insight !== null && note.dashboard_item === insight.id;
    case "dashboard":
      if (board !== null) return note.dashboard_id === board.id;
      return note.dashboard_id !== null && (insight?.dashboards.includes(note.dashboard_id) ?? false);
    default:
      return true;
  }
}
