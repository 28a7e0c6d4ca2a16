import type { QueryNode } from "../api/node.ts";
import { FunnelCorrelation } from "./funnels/correlation.tsx";
import { FunnelForm } from "./funnels/form.tsx";
import { FunnelOptions } from "./funnels/options.tsx";
import type { KindForms } from "./kind.ts";
import { LifecycleForm } from "./lifecycle/form.tsx";
import { LifecycleOptions } from "./lifecycle/options.tsx";
import { PathsForm } from "./paths/form.tsx";
import { PathsOptions } from "./paths/options.tsx";
import { RetentionForm } from "./retention/form.tsx";
import { RetentionOptions } from "./retention/options.tsx";
import { StickinessForm } from "./stickiness/form.tsx";
import { StickinessOptions } from "./stickiness/options.tsx";
import { TrendsForm } from "./trends/form.tsx";
import { TrendsOptions } from "./trends/options.tsx";
import { sourceOf } from "./wrapping.ts";

/** What the page of an insight shows beside its chart, by the kind of its node. Pages that only draw do not load it. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has nodes of its own; what it is given was made by itself
const FORMS: Readonly<Record<string, KindForms<any>>> = {
  TrendsQuery: { Form: TrendsForm, Options: TrendsOptions },
  FunnelsQuery: { Form: FunnelForm, Options: FunnelOptions, Below: FunnelCorrelation },
  RetentionQuery: { Form: RetentionForm, Options: RetentionOptions },
  PathsQuery: { Form: PathsForm, Options: PathsOptions },
  StickinessQuery: { Form: StickinessForm, Options: StickinessOptions },
  LifecycleQuery: { Form: LifecycleForm, Options: LifecycleOptions },
};

/** The forms of a question, wrapped or not; undefined for a kind that has none. */
export const formsOf = (node: QueryNode): KindForms | undefined => FORMS[sourceOf(node).kind];
