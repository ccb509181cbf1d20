#include "scenarios/formats/csv_records.hpp"

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"

namespace tasktwin::scenarios {

std::vector<CsvField> CsvRecords::next() {
  std::vector<CsvField> fields;
  do {
    if (!fields.empty()) step();
    fields.push_back(field());
    if (const auto wrong = wrong_byte(fields.back().text)) throw InputError({file_, fields.back().line, fields.back().column}, *wrong);
  } while (peek() == ',');
  if (peek() == '\r') step();
  if (more() && peek() != '\n') {
    throw InputError({file_, line_, column_}, "a ',' or the end of the line must follow a field in quotes");
  }
  if (more()) step();
  return fields;
}

char CsvRecords::step() {
  const char c = text_[at_++];
  column_ = c == '\n' ? 1 : column_ + 1;
  line_ += c == '\n' ? 1 : 0;
  return c;
}

CsvField CsvRecords::field() {
  CsvField read{{}, line_, column_};
  if (peek() != '"') {
    while (peek() != ',' && peek() != '\n' && peek() != '\r') read.text += step();
    return read;
  }
  step();
  while (true) {
    if (!more()) throw InputError({file_, read.line, read.column}, "the quote that opens here is not closed");
    const char c = step();
    if (c == '"' && (!more() || peek() != '"')) return read;
    read.text += c == '"' ? step() : c;
  }
}

}  // namespace tasktwin::scenarios
