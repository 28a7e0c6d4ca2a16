import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, remember } from "../../api/cache.ts";
import { insightKey, insightsKey } from "../../api/keys.ts";
import type { QueryNode } from "../../api/node.ts";
import { nodeKey } from "../../kinds/nodeKey.ts";
import { useMayMake } from "../../session/environment.ts";
import { mayEdit } from "../../session/rights.ts";
import { told } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { useAddress } from "../parts/insight/address.ts";
import { changeInsight, createInsight, type Insight } from "../parts/insight/insightApi.ts";
import { dropDraft, readDraft, writeDraft } from "./kept.ts";
import { NEW_QUESTION, nodeOfQuestion, questionOf, type SqlQuestion } from "./sqlNode.ts";

/** The question of the page, where it is kept, and how it is saved. */
export interface QuestionState {
  question: SqlQuestion;
  /** It differs from what is saved. */
  isChanged: boolean;
  /** The saved insight can be changed. */
  mayEdit: boolean;
  /** It can be saved as a new one. */
  mayMake: boolean;
  change(part: Partial<SqlQuestion>): void;
  /** Puts the question into the address, as when it is run: back leads to the one before it. */
  note(): void;
  reset(): void;
  save(): Promise<boolean>;
  /** Saves it as a new insight, which is open then. Throws ApiError. */
  saveAsNew(name: string): Promise<void>;
}

/** `insight`: the one that is open. `given`: what the address asks. */
export function useQuestion(projectId: number, insight: Insight | null, given: QueryNode | null): QuestionState {
  const { route } = useLocation();
  const mayMake = useMayMake(projectId)("insight");
  const saved = insight === null ? null : questionIn(insight.query as QueryNode | null);
  const [question, setQuestion] = useState(
    () => questionIn(given) ?? saved ?? questionIn(readDraft(projectId)) ?? NEW_QUESTION,
  );
  const latest = useRef(question);
  latest.current = question;
  const isSame = (one: SqlQuestion) => saved !== null && keyOf(one) === keyOf(saved);
  const put = (next: SqlQuestion) => {
    latest.current = next;
    setQuestion(next);
    if (insight === null) writeDraft(projectId, nodeOfQuestion(next));
  };
  const write = useAddress((read) => {
    const next = questionIn(read) ?? saved;
    if (next !== null) put(next);
  });
  const adopt = (next: Insight) => {
    remember(insightKey(projectId, next.short_id), next);
    invalidate(insightsKey(projectId));
  };
  return {
    question,
    isChanged: !isSame(question),
    mayEdit: insight !== null && mayEdit("insight", insight),
    mayMake,
    change: (part) => put({ ...latest.current, ...part }),
    note: () => write(isSame(latest.current) ? null : nodeOfQuestion(latest.current)),
    reset: () => {
      if (saved !== null) put(saved);
      write(null);
    },
    save: () =>
      told(async () => {
        if (insight === null) return;
        adopt(
          await changeInsight(projectId, insight.id, { query: nodeOfQuestion(latest.current), derived_name: "SQL" }),
        );
        write(null);
        toast("Saved");
      }),
    saveAsNew: async (name) => {
      const made = await createInsight(projectId, { name, derived_name: "SQL", query: nodeOfQuestion(latest.current) });
      adopt(made);
      if (insight === null) dropDraft(projectId);
      toast("Saved as an insight", {
        action: { label: "Open it", onSelect: () => route(`/project/${projectId}/insights/${made.short_id}`) },
      });
      route(`/project/${projectId}/sql?open_insight=${made.short_id}`);
    },
  };
}

const questionIn = (node: QueryNode | null): SqlQuestion | null => (node === null ? null : questionOf(node));

const keyOf = (question: SqlQuestion): string => nodeKey(nodeOfQuestion(question));
