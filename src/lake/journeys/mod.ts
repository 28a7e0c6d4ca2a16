export { type Journey, MAX_KINDS } from "./journey.ts";
export { journeyProject, openJourney } from "./journeyFile.ts";
export { journeyProblem } from "./journeyProblem.ts";
export { JourneyWriter } from "./journeyWriter.ts";
