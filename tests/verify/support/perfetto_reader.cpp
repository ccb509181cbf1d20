#include "tests/verify/support/perfetto_reader.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "tests/verify/support/programs.hpp"

namespace tasktwin::tests {

using nlohmann::json;

namespace {

/// A scalar of protobuf's text format: a number, a word, or text in quotes with C's escapes.
json scalar(const std::string& text) {
  if (text.front() != '"')
    return std::isdigit(static_cast<unsigned char>(text.front())) || text.front() == '-' ? json::parse(text) : json(text);
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') {
      value += text[i];
    } else if (std::isdigit(static_cast<unsigned char>(text[i + 1]))) {
      value += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      const char escaped = text[++i];
      value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
  }
  return value;
}

json message_from(std::istream& lines) {
  json message = json::object();
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    if (line[start] == '}') break;
    const std::size_t end = line.find_first_of(": ", start);
    const std::string field = line.substr(start, end - start);
    if (std::isdigit(static_cast<unsigned char>(field.front()))) throw std::runtime_error("a field that the schema has not: " + line);
    message[field].push_back(line.back() == '{' && line[end] == ' ' ? message_from(lines) : scalar(line.substr(end + 2)));
  }
  return message;
}

class Viewer {
 public:
  PerfettoView view(const json& trace) {
    std::vector<json> events;
    for (const json& packet : trace.at("packet")) {
      if (packet.contains("interned_data")) intern(packet["interned_data"][0]);
      if (packet.contains("track_descriptor")) describe(packet["track_descriptor"][0]);
      if (!packet.contains("track_event")) continue;
      json event = packet["track_event"][0];
      event["time"] = packet.at("timestamp")[0];
      for (const auto& [field, index] : {std::pair{"name_iid", "event_names"}, std::pair{"category_iids", "event_categories"}}) {
        if (event.contains(field)) event[std::string("word_") + field] = known(index, event[field][0]);
      }
      for (json& annotation : event["debug_annotations"])
        annotation["name"] = known("debug_annotation_names", annotation.at("name_iid")[0]);
      events.push_back(std::move(event));
    }
    std::ranges::stable_sort(events, {}, [](const json& event) { return event["time"].get<long long>(); });
    for (const json& event : events) take(event);
    finish();
    return view_;
  }

 private:
  void intern(const json& data) {
    for (const auto& [index, entries] : data.items()) {
      for (const json& entry : entries) names_[index][entry.at("iid")[0].get<long long>()] = entry.at("name")[0].get<std::string>();
    }
  }
  std::string known(const std::string& index, const json& iid) const { return names_.at(index).at(iid.get<long long>()); }

  void describe(const json& track) {
    const auto uuid = track.at("uuid")[0].get<long long>();
    std::string name = track.contains("name") ? track["name"][0].get<std::string>() : "";
    if (track.contains("process")) {
      name = track["process"][0].at("process_name")[0];
      view_.processes.push_back(name);
    }
    if (track.contains("thread")) {
      name = tracks_.at(track.at("parent_uuid")[0].get<long long>()) + "/" + track["thread"][0].at("thread_name")[0].get<std::string>();
      view_.threads.push_back(name);
    }
    if (!tracks_.emplace(uuid, name).second) throw std::runtime_error("two tracks have one uuid");
  }

  void take(const json& event) {
    const std::string& track = tracks_.at(event.at("track_uuid")[0].get<long long>());
    const std::string type = event.at("type")[0];
    const auto time = event["time"].get<long long>();
    if (type == "TYPE_COUNTER") {
      view_.counters[track].emplace_back(time, event.at("counter_value")[0].get<long long>());
    } else if (type == "TYPE_INSTANT") {
      for (const json& annotation : event["debug_annotations"]) view_.facts[annotation["name"]] = annotation.at("string_value")[0];
    } else if (type == "TYPE_SLICE_BEGIN") {
      auto& open = open_[track];
      open.push_back({track, event.at("word_category_iids"), event.at("word_name_iid"), time, 0, open.size()});
      if (event.contains("flow_ids")) {
        for (const json& flow : event["flow_ids"]) flows_[flow.get<long long>()].push_back(open.back().name);
      }
    } else {
      auto& open = open_[track];
      if (open.empty()) throw std::runtime_error("an end without a begin on " + track);
      open.back().end = time;
      view_.slices.push_back(open.back());
      open.pop_back();
    }
  }

  void finish() {
    for (const auto& [track, open] : open_) {
      if (!open.empty()) throw std::runtime_error("a slice is left open on " + track);
    }
    for (const auto& [id, names] : flows_) {
      if (names.size() != 2) throw std::runtime_error("flow " + std::to_string(id) + " has not two ends");
      view_.flows.emplace_back(names[0], names[1]);
    }
    std::ranges::sort(view_.slices);
    std::ranges::sort(view_.flows);
  }

  PerfettoView view_;
  std::map<std::string, std::map<long long, std::string>> names_;
  std::map<long long, std::string> tracks_;
  std::map<std::string, std::vector<PerfettoSlice>> open_;
  std::map<long long, std::vector<std::string>> flows_;
};

}  // namespace

json decode_perfetto(const std::filesystem::path& path) {
  std::istringstream lines(
      output_of("protoc --decode=perfetto.protos.Trace -Itests/verify/support tests/verify/support/perfetto.proto <" + in_shell(path)));
  return message_from(lines);
}

PerfettoView view_perfetto(const json& trace) { return Viewer().view(trace); }

}  // namespace tasktwin::tests
