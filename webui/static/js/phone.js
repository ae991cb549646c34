// This phone as the table's camera: pictures are taken here and handed to Kibitz one after another; the next is sent when the
// last has arrived, so a slow network makes fewer pictures and never old ones.

import { newId } from "./live.js";
import { keepAwake } from "./menu.js";
import { t } from "./words.js";

const $ = (id) => document.getElementById(id);
const video = $("camera");
const canvas = document.createElement("canvas");
const PAUSE_MS = 33;
let stream = null;
let running = 0;

const say = (text, bad = false) => {
  $("phone-note").textContent = text;
  $("phone-note").classList.toggle("bad", bad);
};

async function start() {
  if (!navigator.mediaDevices?.getUserMedia) return say(t("phone.insecure"), true);
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } } });
  } catch (error) {
    return say(t(error.name === "NotAllowedError" ? "phone.denied" : "phone.no-camera"), true);
  }
  video.srcObject = stream;
  await video.play();
  $("phone-start").hidden = true;
  $("phone-stop").hidden = false;
  keepAwake();
  running = newId();
  send(running);
}

function stop() {
  running = 0;
  stream?.getTracks().forEach((track) => track.stop());
  video.srcObject = null;
  $("phone-start").hidden = false;
  $("phone-stop").hidden = true;
  say(t("phone.stopped"));
}

async function send(run) {
  let quality = 0.85;
  let count = 0;
  let since = performance.now();
  while (running === run) {
    const began = performance.now();
    if (video.videoWidth) {
      const scale = Math.min(1, 1280 / Math.max(video.videoWidth, video.videoHeight));
      canvas.width = Math.round(video.videoWidth * scale);
      canvas.height = Math.round(video.videoHeight * scale);
      canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
      const picture = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
      try {
        const answer = await fetch("/api/camera", { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: picture });
        if (answer.status === 409) say(t("phone.not-chosen"), true);
        else if (!answer.ok) say(t("phone.refused"), true);
        else count += 1;
      } catch {
        say(t("phone.lost"), true);
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
    const took = performance.now() - began;
    quality = Math.min(0.9, Math.max(0.6, quality + (took > 120 ? -0.03 : 0.01)));
    if (performance.now() - since > 2000) {
      if (count) say(t("phone.sending", { fps: Math.round((count * 1000) / (performance.now() - since)), width: canvas.width, height: canvas.height }));
      count = 0;
      since = performance.now();
    }
    await new Promise((done) => setTimeout(done, Math.max(0, PAUSE_MS - took)));
  }
}

$("phone-start").addEventListener("click", start);
$("phone-stop").addEventListener("click", stop);
