-- Removes the tools' links where the package goes and no other version of it stays.
local directory = "/usr/libexec/ikigai/"
local program = "../../bin/ikigai-tools"
if tonumber(arg[2]) == 0 then
  for _, name in ipairs(posix.dir(directory) or {}) do
    if posix.readlink(directory .. name) == program then
      os.remove(directory .. name)
    end
  end
end
