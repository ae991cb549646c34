// Scores read out by the browser's own voice, off until somebody asks for it. Never the only channel: the live region on
// the page carries the same sentences as text.

import { prefs } from "./prefs.js";
import { lang } from "./words.js";

const VOICES = { en: "en", ko: "ko-KR", af: "af-ZA", bn: "bn-IN", as: "as-IN" };
let waiting = 0;

export function speak(sentence, { level = "scores" } = {}) {
  if (!("speechSynthesis" in window) || prefs.voice === "off" || (prefs.voice === "scores" && level === "all")) return;
  if (waiting > 3) speechSynthesis.cancel(); // what is old is worth nothing: say the newest
  const words = new SpeechSynthesisUtterance(sentence);
  words.lang = VOICES[lang] ?? "en";
  waiting += 1;
  words.onend = words.onerror = () => (waiting = Math.max(0, waiting - 1));
  speechSynthesis.speak(words);
}

let audio = null;

/** A soft tick when a score changes, off until somebody asks for it. */
export function tick() {
  if (prefs.tick) tones([[880, 0, 0.05]], 0.05);
}

/** A short falling pair of notes for a mistake, and only for that: a sound on every legal move annoys the table. */
export function alarm() {
  if (prefs.sound) tones([[660, 0, 0.15], [440, 0.16, 0.15]], 0.2);
}

/** A photo finish: two rising notes for a verdict, one low long one for "too close". Heard wherever a mistake is. */
export function gong(verdict) {
  if (prefs.sound) tones(verdict === "too-close" ? [[330, 0, 0.6]] : [[523, 0, 0.12], [784, 0.13, 0.35]], 0.25);
}

/** Notes as [pitch in Hz, when, how long, both in seconds]. */
function tones(notes, loudness) {
  if (!window.AudioContext) return;
  audio ??= new AudioContext();
  for (const [pitch, when, long] of notes) {
    const from = audio.currentTime + when;
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, from);
    loud.gain.exponentialRampToValueAtTime(loudness, from + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, from + long);
    tone.connect(loud).connect(audio.destination);
    tone.start(from);
    tone.stop(from + long + 0.01);
  }
}

/** On-device recognition of go and stop, where the browser has it; nothing is ever sent to a recogniser elsewhere. */
export async function localListening(language) {
  const Recognition = window.SpeechRecognition;
  if (!Recognition || typeof Recognition.available !== "function") return null;
  try {
    const answer = await Recognition.available({ langs: [VOICES[language] ?? "en"], processLocally: true });
    if (answer !== "available") return null;
    const ears = new Recognition();
    ears.lang = VOICES[language] ?? "en";
    ears.processLocally = true;
    ears.continuous = false;
    return ears;
  } catch {
    return null;
  }
}
