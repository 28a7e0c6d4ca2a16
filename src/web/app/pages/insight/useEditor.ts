import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { invalidate, remember } from "../../api/cache.ts";
import { insightKey, insightsKey } from "../../api/keys.ts";
import type { QueryNode } from "../../api/node.ts";
import { readNode } from "../../kinds/readNode.ts";
import { sourceOf, withSource, wrapped } from "../../kinds/wrapping.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { messageOf } from "../../ui/notice.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAddress } from "../parts/insight/address.ts";
import { derivedName } from "../parts/insight/derivedName.ts";
import { dropDraft, readDraft, writeDraft } from "../parts/insight/draft.ts";
import { changeInsight, createInsight, type Insight, type InsightChange } from "../parts/insight/insightApi.ts";
import { isSameNode } from "./sameNode.ts";

/** What a new insight is called and marked with until it is saved. */
export interface Labels {
  name: string;
  description: string;
  tags: string[];
  favorited: boolean;
}

export interface EditorProps {
  projectId: number;
  /** Null: it is new. */
  insight: Insight | null;
  /** The question that the page begins with. */
  first: QueryNode;
  /** That of an untouched new page. */
  blank: QueryNode | null;
  isEditing: boolean;
  onOpen(insight: Insight, isEditing: boolean, isReplaced: boolean): void;
}

export interface EditorState {
  node: QueryNode;
  source: QueryNode;
  insight: Insight | null;
  labels: Labels;
  /** It differs from what is saved, or was never saved. */
  isChanged: boolean;
  isSaving: boolean;
  /** Others may be shown an insight that they cannot change; what they make of it they save as their own. */
  mayEdit: boolean;
  /** Insights can be saved at all. */
  mayMake: boolean;
  change(source: QueryNode): void;
  reset(): void;
  setLabels(labels: Partial<Labels>): void;
  /** Saves it where it is, or for the first time; null: it failed. */
  save(): Promise<Insight | null>;
  saveAsNew(): Promise<void>;
  /** Takes over what another part of the page changed. */
  adopt(insight: Insight): void;
}

const NO_LABELS: Labels = { name: "", description: "", tags: [], favorited: false };

/** The question of a page, where it is kept, and how it is saved. */
export function useEditor({ projectId, insight: given, first, blank, onOpen }: EditorProps): EditorState {
  const [insight, setInsight] = useState(given);
  const [node, setNode] = useState(first);
  const [fresh, setFresh] = useState<Labels>(() => ({ ...NO_LABELS, name: nameOfDraft(projectId, given, first) }));
  const [isSaving, setSaving] = useState(false);
  const mayMake = useMayMake(projectId)("insight");
  const saved = useMemo(() => readNode(insight?.query), [insight?.query]);
  const latest = useRef(saved);
  latest.current = saved;
  const write = useAddress((read) => setNode(read ?? latest.current ?? blank ?? first));
  const isSame = (one: QueryNode) => latest.current !== null && isSameNode(one, latest.current);
  useEffect(() => {
    if (given === null || given.id !== insight?.id) return;
    const newer = readNode(given.query);
    // What nobody has changed here follows what others save.
    if (newer !== null && isSame(node) && !isSame(newer)) setNode(newer);
    setInsight(given);
  }, [given]);

  const put = (next: QueryNode) => {
    setNode(next);
    write(isSame(next) ? null : next);
    if (isSame(next)) dropDraft(projectId);
    else writeDraft(projectId, { node: next, shortId: insight?.short_id ?? null, name: fresh.name });
  };
  const adopt = (next: Insight) => {
    setInsight(next);
    latest.current = readNode(next.query);
    remember(insightKey(projectId, next.short_id), next);
    invalidate(insightsKey(projectId));
  };
  const send = async (what: string, ask: () => Promise<Insight>): Promise<Insight | null> => {
    setSaving(true);
    try {
      return await ask();
    } catch (error) {
      toast(`${what} failed: ${messageOf(error)} Nothing is lost.`, { isProblem: true });
      return null;
    } finally {
      setSaving(false);
    }
  };
  const whole = (): InsightChange => ({ query: saving(node), derived_name: derivedName(node) });
  const saveNew = async (labels: Labels): Promise<Insight | null> => {
    const { favorited, ...rest } = labels;
    const dashboard = Number(new URLSearchParams(window.location.search).get("dashboard"));
    const dashboards = dashboard > 0 ? [dashboard] : undefined;
    const made = await send("Saving", () => createInsight(projectId, { ...rest, dashboards, ...whole() }));
    if (made === null) return null;
    dropDraft(projectId);
    const next = favorited
      ? ((await send("Marking", () => changeInsight(projectId, made.id, { favorited }))) ?? made)
      : made;
    adopt(next);
    return next;
  };
  return {
    node,
    source: sourceOf(node),
    insight,
    labels: insight === null ? fresh : labelsOf(insight),
    isChanged: !isSame(node),
    isSaving,
    mayEdit: insight === null ? mayMake : mayEdit("insight", insight),
    mayMake,
    change: (source) => put(withSource(node, source)),
    reset: () => saved !== null && put(saved),
    setLabels: (part) => {
      if (insight === null) {
        setFresh({ ...fresh, ...part });
        writeDraft(projectId, { node, shortId: null, name: part.name ?? fresh.name });
        return;
      }
      const before = insight;
      setInsight({ ...insight, ...part });
      void send("Saving", () => changeInsight(projectId, before.id, part)).then((next) => {
        if (next === null) setInsight(before);
        else adopt(next);
      });
    },
    save: async () => {
      if (insight === null) {
        const made = await saveNew(fresh);
        if (made !== null) onOpen(made, true, true);
        return made;
      }
      const next = await send("Saving", () => changeInsight(projectId, insight.id, whole()));
      if (next === null) return null;
      dropDraft(projectId);
      adopt(next);
      write(null);
      toast("Saved");
      return next;
    },
    saveAsNew: async () => {
      const name = insight?.name ? `${insight.name} (copy)` : "";
      const { description, tags } = insight === null ? fresh : labelsOf(insight);
      const made = await send("Saving", () => createInsight(projectId, { name, description, tags, ...whole() }));
      if (made === null) return;
      dropDraft(projectId);
      invalidate(insightsKey(projectId));
      toast("Saved as a new insight");
      onOpen(made, true, false);
    },
    adopt,
  };
}

const labelsOf = ({ name, description, tags, favorited }: Insight): Labels => ({
  name: name ?? "",
  description: description ?? "",
  tags,
  favorited,
});

/** Saved insights have their question in a wrapper. */
const saving = (node: QueryNode): QueryNode => (node === sourceOf(node) ? wrapped(node) : node);

/** The name of the draft that goes on here. */
function nameOfDraft(projectId: number, insight: Insight | null, first: QueryNode): string {
  const draft = readDraft(projectId);
  return insight === null && draft?.shortId === null && isSameNode(draft.node, first) ? draft.name : "";
}
