# The behaviours that Baton.jl promises. Runs on either driver; BATON_DRIVER=soft needs no GPU.
using Adapt: adapt
using Baton
using DLPack: DLPack
using GPUArraysCore: @allowscalar, allowscalar
using Test

host(n) = Float32.(1:n)
# Work of one task, then of another, without a word between them.
on_another_task(f) = fetch(Threads.@spawn f())

@testset "Baton" begin
    @testset "an array comes back as it went in, for every element type" begin
        for T in (Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float16, Float32, Float64, ComplexF32, ComplexF64)
            values = T[1 0 1; 0 1 1]
            @test Array(BatonArray(values)) == values
        end
    end

    @testset "shapes are column-major, from none to four dimensions, also without elements" begin
        for dims in ((), (3,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (0,), (3, 0))
            values = reshape(collect(Float32, 1:prod(dims)), dims)
            @test Array(BatonArray(values)) == values
            @test size(BatonArray(values)) == dims
        end
    end

    @testset "views share memory with their array" begin
        x = BatonArray(reshape(host(12), 3, 4))
        fill!(view(x, 2, :), 0)
        fill!(view(x, 1:2:3, 4), -1)
        @test Array(x) == Float32[1 4 7 -1; 0 0 0 0; 3 6 9 -1]
        @test Array(view(BatonArray(host(4)), 4:-1:1)) == Float32[4, 3, 2, 1]
        @test Array(reshape(x, 12))[1:3] == Float32[1, 0, 3]
        @test Array(permutedims(x, (2, 1))) == permutedims(Array(x), (2, 1))
        @test_throws BoundsError view(x, 4, 1:2)
    end

    @testset "copyto! converts, copies the first elements, and refuses too many" begin
        @test Array(copyto!(BatonArray{Float64}(undef, 3), BatonArray(Int32[1, 2, 3]))) == [1.0, 2.0, 3.0]
        @test Array(copyto!(fill!(BatonArray{Float32}(undef, 4), 0), host(2))) == Float32[1, 2, 0, 0]
        @test_throws BoundsError copyto!(BatonArray{Float32}(undef, 1), host(2))
        @test Array(Baton.arange(Int32, 4; start = 5, step = -2)) == Int32[5, 3, 1, -1]
    end

    @testset "broadcasting of + - * / gives what Base gives" begin
        a, b = reshape(host(6), 2, 3), Float32[10, 20]
        x, y = BatonArray(a), BatonArray(b)
        @test Array(x .+ y) == a .+ b
        @test Array((x .- 1) .* y ./ 2) == (a .- 1) .* b ./ 2
        @test Array(.-x) == .-a
        x .+= y
        @test Array(x) == a .+ b
        @test eltype(BatonArray(Int32[1, 2]) ./ BatonArray(Int32[3, 4])) == Float64
        @test signbit(only(Array(identity.(BatonArray(Float32[-0.0])))))
        z = BatonArray(Int32[0, 0])
        z .= BatonArray(Float32[1.5, 2.5]) .* 2
        @test Array(z) == Int32[3, 5]
        @test_throws ArgumentError sin.(x)
    end

    @testset "work of one task is behind that of another, and the host does not wait" begin
        x = BatonArray{Float32}(undef, 1 << 16)
        on_another_task(() -> fill!(x, 1))
        before = Baton.host_waits()
        for _ in 1:10
            on_another_task(() -> (x .+= 1f0; nothing))
        end
        @test Baton.host_waits() == before
        @test all(==(11), Array(x))
    end

    @testset "each task has a stream of its own, which goes with it from thread to thread" begin
        mine = Baton.id(Baton.stream())
        @test on_another_task(() -> Baton.id(Baton.stream())) != mine
        yield()
        @test Baton.id(Baton.stream()) == mine
        other = Baton.Stream()
        @test Baton.stream(() -> Baton.id(Baton.stream()), other) == Baton.id(other)
        @test Baton.id(Baton.stream()) == mine
    end

    @testset "with_managed gives addresses without a wait and ends also on errors" begin
        x, y = BatonArray(host(4)), BatonArray(host(4))
        before = Baton.host_waits()
        inside = Baton.with_managed((x => :read, y)) do p, q
            @test Base.unsafe_convert(Ptr{Float32}, x) == p
            Baton.with_managed(x => :read) do again
                @test again == p
            end
            p != q
        end
        @test inside
        @test Baton.host_waits() == before
        @test_throws ErrorException Baton.with_managed(p -> error("no"), x)
        @test on_another_task(() -> Array(fill!(x, 2))) == fill(2f0, 4)     # the lock is free again
    end

    @testset "two tasks that want the same arrays in other orders both get them" begin
        x, y = BatonArray(host(2)), BatonArray(host(2))
        tasks = [Threads.@spawn(for _ in 1:50
            Baton.with_managed((p, q) -> yield(), isodd(i) ? (x, y) : (y, x))
        end) for i in 1:8]
        foreach(wait, tasks)
        @test all(istaskdone, tasks)
    end

    @testset "tasks that are suspended in with_managed find a thread to go on" begin
        x, y = BatonArray(host(2)), BatonArray(host(2))
        tasks = [Threads.@spawn(for _ in 1:50
            if isodd(i)
                Baton.with_managed(p -> (yield(); yield()), i % 4 == 1 ? x : y)
            else
                x .+= 1f0
                y .+= 1f0
            end
        end) for i in 1:4*Threads.nthreads()]
        foreach(wait, tasks)
        @test Array(x) == Array(y) == host(2) .+ 100 * Threads.nthreads()
    end

    @testset "in with_managed the array itself is refused, on whichever thread the task goes on" begin
        x = BatonArray(host(2))
        Baton.with_managed(x) do p
            for _ in 1:100
                yield()
                failure = @test_throws BatonError fill!(x, 1)
                @test failure.value.status == "BATON_ERR_WOULD_DEADLOCK"
            end
        end
        @test Array(x) == host(2)
    end

    @testset "a pointer outside of with_managed waits for other tasks' work" begin
        x = on_another_task(() -> fill!(BatonArray{Float32}(undef, 1024; kind = :unified), 3))
        GC.@preserve x begin
            @test unsafe_load(Base.unsafe_convert(Ptr{Float32}, x), 1024) == 3
        end
        @test isready(x)
    end

    @testset "synchronize waits for an array, a stream, and the task's own" begin
        x = fill!(BatonArray{Float32}(undef, 1024), 1)
        Baton.synchronize(x)
        @test isready(x)
        fill!(x, 2)
        Baton.synchronize()
        @test isready(Baton.fence(Baton.stream()))
    end

    @testset "a capture is a graph that other tasks launch" begin
        x = fill!(BatonArray{Float32}(undef, 8), 0)
        executable = Baton.instantiate(Baton.capture(() -> (x .+= 1f0; nothing)))
        @test all(==(0), Array(x))
        for _ in 1:3
            on_another_task(() -> Baton.launch(executable))
        end
        @test all(==(3), Array(x))
        @test_throws ErrorException Baton.capture(() -> error("no"))
        @test !Baton.capturing()
    end

    @testset "unsafe_free! gives memory back once, in stream order" begin
        x = BatonArray{Float32}(undef, 1 << 20)
        before = Baton.stats().live_bytes
        fill!(x, 1)
        Baton.unsafe_free!(x)
        Baton.unsafe_free!(x)
        @test Baton.stats().live_bytes <= before - sizeof(Float32) * (1 << 20)
        @test_throws BatonError fill!(x, 1)
    end

    @testset "garbage alone never ends in an error" begin
        limit = 16 << 20
        Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, limit, err))
        try
            for i in 1:64
                fill!(BatonArray{Float32}(undef, 1 << 20), i)
            end
            @test Array(fill!(BatonArray{Float32}(undef, 1), 7)) == [7f0]
        finally
            Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, 0, err))
        end
    end

    @testset "garbage is no error either while another task captures" begin
        limit = 16 << 20
        Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, limit, err))
        try
            x = fill!(BatonArray{Float32}(undef, 1), 0)
            captures = Threads.@spawn for _ in 1:20
                Baton.capture(() -> (x .+= 1f0; yield(); yield()))
            end
            for i in 1:64
                fill!(BatonArray{Float32}(undef, 1 << 20), i)
            end
            wait(captures)
            @test Array(x) == [0f0]
        finally
            Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, 0, err))
        end
    end

    @testset "what is too large is an error at once, while a capture lasts in this task too" begin
        Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, 1 << 20, err))
        try
            @test_throws BatonError BatonArray{Float32}(undef, 1 << 20)
            before = time()
            @test_throws BatonError Baton.capture(() -> BatonArray{Float32}(undef, 1 << 20))
            @test time() < before + Baton.patience
        finally
            Baton.status(err -> Baton.API.baton_set_memory_limit(Baton.runtime(), 0, 0, err))
        end
    end

    @testset "finalizers on every thread and a collector that stops the world meet no lock" begin
        tasks = [Threads.@spawn(for _ in 1:100
            fill!(BatonArray{Float32}(undef, 256), i)
            i == 1 && GC.gc()
        end) for i in 1:8]
        foreach(wait, tasks)
        @test all(istaskdone, tasks)
    end

    @testset "errors say what and why" begin
        failure = try
            Baton.status(err -> Baton.API.baton_copy(BatonArray(host(2)), BatonArray(host(3)), Baton.stream(), err))
        catch e
            e
        end
        @test failure isa BatonError
        @test failure.status == "BATON_ERR_SHAPE"
        @test occursin("BATON_ERR_SHAPE", sprint(showerror, failure))
        @test !failure.asynchronous
    end

    @testset "a display reads, print does not" begin
        x = BatonArray(Float32[1, 2])
        @test occursin("1.0", sprint(show, MIME("text/plain"), x))
        @test sprint(show, x) == "BatonArray{Float32, 1}(2)"
        Baton.unsafe_free!(x)
        @test occursin("freed", sprint(show, MIME("text/plain"), x))
    end

    @testset "DLPack takes an array out and in, over the same memory" begin
        x = BatonArray(reshape(host(6), 2, 3))
        y = Baton.from_dlpack(Baton.to_dlpack(x))
        @test size(y) == (2, 3)
        fill!(view(y, :, 1), 0)
        @test Array(x) == Float32[0 3 5; 0 4 6]
    end

    @testset "DLPack.jl shares the memory, row-major" begin
        x = BatonArray(reshape(host(6), 2, 3))
        capsule = DLPack.share(x)
        @test capsule.shape == [3, 2]
        GC.@preserve x begin
            @test capsule.tensor.dl_tensor.data == Ptr{Cvoid}(pointer(x))
        end
    end

    @testset "single elements are for those who allow them" begin
        x = BatonArray(host(3))
        allowscalar(false)
        @test_throws ErrorException x[2]
        @test_throws ErrorException x[2] = 0
        @test @allowscalar(x[2]) == 2
        @allowscalar x[2] = 7
        @test Array(x) == Float32[1, 7, 3]
    end

    @testset "adapt takes arrays to the device and back, and leaves ranges alone" begin
        there = adapt(BatonArray, (weights = host(3), rows = 1:3))
        @test there.weights isa BatonArray{Float32,1}
        @test there.rows === 1:3
        @test adapt(BatonArray{Float64}, host(2)) isa BatonArray{Float64,1}
        @test adapt(Array, there).weights == host(3)
    end

    @testset "structs are laid out as the library says" begin
        name, offset, bytes = Ref{Cstring}(), Ref{UInt32}(0), Ref{UInt32}(0)
        index = 0
        while Baton.API.baton_abi_layout(index, name, offset, bytes) == Baton.API.BATON_OK
            whole, member = vcat(split(unsafe_string(name[]), "."), "")[1:2]
            T = getfield(Baton.API, Symbol(whole))
            if member == ""
                @test sizeof(T) == bytes[]
            else
                at = Base.fieldindex(T, Symbol(member))
                @test (fieldoffset(T, at), sizeof(fieldtype(T, at))) == (offset[], bytes[])
            end
            index += 1
        end
        @test index > 100
    end

    @testset "no two methods are ambiguous" begin
        @test isempty(Test.detect_ambiguities(Baton))
    end
end
