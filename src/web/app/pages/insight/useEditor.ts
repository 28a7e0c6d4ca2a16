import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { invalidate, remember } from "../../api/cache.ts";
import { insightKey, insightsKey } from "../../api/keys.ts";
import type { QueryNode } from "../../api/node.ts";
import { readNode } from "../../kinds/readNode.ts";
import { sourceOf, withSource, wrapped } from "../../kinds/wrapping.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { toast } from "../../ui/toast.tsx";
import { useAddress } from "../parts/insight/address.ts";
import { derivedName } from "../parts/insight/derivedName.ts";
import { dropDraft, type Labels, writeDraft } from "../parts/insight/draft.ts";
import { changeInsight, createInsight, type Insight, type InsightChange } from "../parts/insight/insightApi.ts";
import { labelsOf, labelsOfDraft, without } from "./labels.ts";
import { isSameNode } from "./sameNode.ts";
import { useSaving } from "./useSaving.ts";

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

/** The question of a page, where it is kept, and how it is saved. */
export function useEditor({ projectId, insight: given, first, blank, onOpen }: EditorProps): EditorState {
  const [insight, setInsight] = useState(given);
  const [node, setNode] = useState(first);
  const [fresh, setFresh] = useState(() => labelsOfDraft(projectId, given, first));
  /** What the labels of a saved one were changed to, until that is saved. */
  const [wished, setWished] = useState<Partial<Labels>>({});
  const { isSaving, send } = useSaving();
  // A save looks at them again when it is done: the form can be used meanwhile.
  const now = useRef({ node, fresh, wished });
  now.current = { node, fresh, wished };
  const mayMake = useMayMake(projectId)("insight");
  const saved = useMemo(() => readNode(insight?.query), [insight?.query]);
  const latest = useRef(saved);
  latest.current = saved;
  const write = useAddress((read) => setNode(read ?? latest.current ?? blank ?? first));
  const isSame = (one: QueryNode) => latest.current !== null && isSameNode(one, latest.current);
  useEffect(() => {
    if (given !== null && given.id === insight?.id) follow(given);
  }, [given]);

  const put = (next: QueryNode, of = insight) => {
    setNode(next);
    write(isSame(next) ? null : next);
    if (isSame(next)) dropDraft(projectId);
    else writeDraft(projectId, { node: next, shortId: of?.short_id ?? null, labels: fresh });
  };
  function follow(next: Insight): void {
    const newer = readNode(next.query);
    // What nobody has changed here follows what others save.
    if (newer !== null && isSame(now.current.node)) {
      now.current.node = newer;
      setNode(newer);
    }
    latest.current = newer;
    setInsight(next);
  }
  const adopt = (next: Insight) => {
    follow(next);
    remember(insightKey(projectId, next.short_id), next);
    invalidate(insightsKey(projectId));
  };
  const whole = (): InsightChange => ({ query: saving(node), derived_name: derivedName(node) });
  const saveNew = async (): Promise<Insight | null> => {
    const { favorited: _, ...labels } = fresh;
    const dashboard = Number(new URLSearchParams(window.location.search).get("dashboard"));
    const dashboards = dashboard > 0 ? [dashboard] : undefined;
    const made = await send(() => createInsight(projectId, { ...labels, dashboards, ...whole() }));
    if (made === null) return null;
    adopt(made);
    onOpen(made, true, true);
    put(now.current.node, made);
    void saveLabels(made.id, without(now.current.fresh, { ...labels, favorited: false }));
    return made;
  };
  /** Saves those that were changed, and those that could not be saved before. */
  async function saveLabels(id: number, part: Partial<Labels>): Promise<void> {
    const sent = { ...now.current.wished, ...part };
    if (Object.keys(sent).length === 0) return;
    now.current.wished = sent;
    setWished(sent);
    const next = await send(
      () => changeInsight(projectId, id, sent),
      () => void saveLabels(id, {}),
    );
    if (next === null) return;
    adopt(next);
    setWished((wished) => without(wished, sent));
  }
  return {
    node,
    source: sourceOf(node),
    insight,
    labels: insight === null ? fresh : { ...labelsOf(insight), ...wished },
    isChanged: !isSame(node),
    isSaving,
    mayEdit: insight === null ? mayMake : mayEdit("insight", insight),
    mayMake,
    change: (source) => put(withSource(node, source)),
    reset: () => saved !== null && put(saved),
    setLabels: (part) => {
      if (insight !== null) return void saveLabels(insight.id, part);
      const labels = { ...fresh, ...part };
      setFresh(labels);
      writeDraft(projectId, { node, shortId: null, labels });
    },
    save: async () => {
      if (insight === null) return saveNew();
      const next = await send(() => changeInsight(projectId, insight.id, whole()));
      if (next === null) return null;
      adopt(next);
      put(now.current.node);
      toast("Saved");
      return next;
    },
    saveAsNew: async () => {
      const name = insight?.name ? `${insight.name} (copy)` : "";
      const { description, tags } = insight === null ? fresh : labelsOf(insight);
      const made = await send(() => createInsight(projectId, { name, description, tags, ...whole() }));
      if (made === null) return;
      dropDraft(projectId);
      invalidate(insightsKey(projectId));
      toast("Saved as a new insight");
      onOpen(made, true, false);
    },
    adopt,
  };
}

/** Saved insights have their question in a wrapper. */
const saving = (node: QueryNode): QueryNode => (node === sourceOf(node) ? wrapped(node) : node);
