import type { QueryNode } from "../../api/node.ts";
import { FunnelCorrelation } from "../../kinds/funnels/correlation.tsx";
import { FunnelForm } from "../../kinds/funnels/form.tsx";
import { FunnelOptions } from "../../kinds/funnels/options.tsx";
import type { KindForms } from "../../kinds/kind.ts";
import { LifecycleForm } from "../../kinds/lifecycle/form.tsx";
import { LifecycleOptions } from "../../kinds/lifecycle/options.tsx";
import { kindOf } from "../../kinds/mod.ts";
import { PathsForm } from "../../kinds/paths/form.tsx";
import { PathsOptions } from "../../kinds/paths/options.tsx";
import { RetentionForm } from "../../kinds/retention/form.tsx";
import { RetentionOptions } from "../../kinds/retention/options.tsx";
import { StickinessForm } from "../../kinds/stickiness/form.tsx";
import { StickinessOptions } from "../../kinds/stickiness/options.tsx";
import { TrendsForm } from "../../kinds/trends/form.tsx";
import { TrendsOptions } from "../../kinds/trends/options.tsx";

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

/** The forms of a question, wrapped or not; undefined for one that has none. */
export const formsOf = (node: QueryNode): KindForms | undefined => FORMS[kindOf(node)?.name ?? ""];
