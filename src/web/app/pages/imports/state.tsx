import { formatPercent } from "../../format/number.ts";
import { Icon } from "../../ui/icon.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { figuresOf, type Import, runs, STATE_WORDS, silentMs } from "./figures.ts";

/** Where an import is, in words. */
export function State({ of: one }: { of: Import }) {
  const { share, isWhole } = figuresOf(one);
  const isSilent = silentMs(one, Date.now()) !== null;
  const isBad = one.state === "failed" || isSilent || isWhole === false;
  const words = isWhole === false ? "Events are missing" : STATE_WORDS[one.state];
  return (
    <span class={isBad ? "state-words bad" : "state-words"}>
      {isBad ? <Icon name="warning" /> : runs(one) ? <Spinner /> : one.state === "completed" && <Icon name="check" />}
      {words}
      {share !== null && <span class="quiet">{formatPercent(share)}</span>}
      {isSilent && <span class="quiet">nothing heard</span>}
    </span>
  );
}
